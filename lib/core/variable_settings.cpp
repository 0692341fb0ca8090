#include "lib/core/variable_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

/// The parts of `text` between separators that no '\' stands before; the '\' stays.
std::vector<std::string> split_unescaped(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == separator) {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) parts.back() += text[++i];
  }
  return parts;
}

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    plain += text[i] == '\\' && i + 1 < text.size() ? text[++i] : text[i];
  return plain;
}

[[noreturn]] void refuse(const std::string& part, const std::string& why) {
  throw Error(Exit::usage, fmt::format("'{}': {}", part, why));
}

void check_name(const std::string& part, const std::string& name, std::string_view prefix) {
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_name || name.size() <= prefix.size() || !name.starts_with(prefix))
    refuse(part, fmt::format("'{}' is no variable {}*", name, prefix));
}

/// One "NAME=VALUE" or, where `before` is not null, "VALUE" of the last variable of *before.
void add_variable(VariableSetting& setting, const std::string& part, std::string_view prefix,
                  const VariableSetting* before) {
  const auto equals = part.find('=');
  if (equals == std::string::npos) {
    if (before == nullptr) refuse(part, "no '=' in it");
    setting = *before;
    setting.variables.back().second = without_escapes(part);
  } else {
    const std::string name = part.substr(0, equals);
    check_name(part, name, prefix);
    for (const auto& [other, value] : setting.variables)
      if (other == name) refuse(part, name + " is set twice in one setting");
    setting.variables.emplace_back(name, without_escapes(part.substr(equals + 1)));
  }
  if (setting.variables.back().second.empty()) refuse(part, "no value in it");
}

}  // namespace

std::string VariableSetting::text() const {
  std::string text;
  for (const auto& [name, value] : variables)
    text += fmt::format("{}{}={}", text.empty() ? "" : "+", name, value);
  return text;
}

std::vector<VariableSetting> parse_variable_settings(const std::string& text, std::string_view prefix) {
  std::vector<VariableSetting> settings;
  for (const std::string& one : split_unescaped(text, ',')) {
    const VariableSetting* before = settings.empty() ? nullptr : &settings.back();
    VariableSetting setting;
    for (const std::string& part : split_unescaped(one, '+'))
      add_variable(setting, part, prefix, setting.variables.empty() ? before : nullptr);
    for (const VariableSetting& other : settings)
      if (other.variables == setting.variables) refuse(one, "is there twice");
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace dpx
