#pragma once
// Settings of environment variables to be tried one after the other, in words.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dpx {

/// Variables that are set together.
struct VariableSetting {
  std::vector<std::pair<std::string, std::string>> variables;  ///< name, value; no name twice
  /// "NCCL_PROTO=LL+NCCL_ALGO=Ring"
  std::string text() const;
};

inline constexpr const char* kVariableSettingsSyntax =
    "NAME=VALUE[+NAME=VALUE...][,...]: a comma starts the next setting, + sets several variables together, a "
    "value alone is the last variable's next value, \\ keeps a comma or + in a value";

/// "A=1,A=2+B=3": {A=1} and {A=2, B=3}; "A=1+B=2,3": {A=1, B=2} and {A=1, B=3}. Every name must start with
/// `prefix` and consist of capitals, digits and '_'. Errors: Exit::usage naming the part that is wrong.
std::vector<VariableSetting> parse_variable_settings(const std::string& text, std::string_view prefix);

}  // namespace dpx
