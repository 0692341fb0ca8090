#pragma once
// The options that every command has.
#include <string>
#include <vector>

#include "lib/core/fields.hpp"

namespace dpx {

/// Values of the shell's own options.
struct ShellOptions {
  std::string config, out, progress = "auto", log_level = "info";
  std::vector<std::string> set, note;
  std::int64_t seed = 0;
  bool force = false, quiet = false, dump_config = false, help = false;

  void declare(Fields& fields);
};

/// "key=value" cut at the first "="; empty key when there is none.
std::pair<std::string, std::string> split_assignment(const std::string& text);

}  // namespace dpx
