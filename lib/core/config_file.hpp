#pragma once
// Strict reader of JSON config files. A record written by dpx is a config file too: its "config" is used.
#include <map>
#include <string>

#include "lib/core/fields.hpp"

namespace dpx {

/// A config file's values and where each top-level key stands.
struct ConfigFile {
  std::string path;
  Json values;                       ///< an object, without "command"
  std::map<std::string, int> lines;  ///< key -> line, from 1

  /// `c.json:3: "batch"`, the start of a message about that key.
  std::string where(const std::string& key) const;
  /// Hands every key to `fields`. Errors: Exit::usage with file, line, key, value found and values allowed.
  void apply(Fields& fields) const;
};

/// Reads `path` for `command`.
/// Errors: Exit::usage, one line with file, line, column and the cause: not readable, empty, byte order mark,
/// not UTF-8, comment, trailing comma, NaN, number out of range, repeated key, no object, or written for
/// another command.
ConfigFile read_config(const std::string& path, const std::string& command);

}  // namespace dpx
