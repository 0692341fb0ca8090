#pragma once
// Where the record goes: checked before the run, written so that neither old nor new results can be lost.
#include <string>

namespace dpx {

/// Writes `text` to a new file beside `path`, syncs it and renames it to `path`; false, and nothing changed,
/// when `path` exists and `replace` is false. Errors: Exit::cannot_write with path and system reason; `path`
/// is then as it was.
bool write_atomically(const std::string& path, const std::string& text, bool replace);

/// The target of --out.
class OutputTarget {
 public:
  /// `out`: a path, "-" (stdout), "none", or "" for results/<command>-<UTC time>.json.
  /// Errors: Exit::usage: the file exists and `force` is false; Exit::cannot_write: directory missing or not
  /// writable, or the path is a directory.
  OutputTarget(const std::string& out, std::string command, bool force);

  /// True for "-": the human table then goes to stderr.
  bool to_stdout() const { return kind_ == Kind::standard; }
  bool to_nowhere() const { return kind_ == Kind::none; }
  const std::string& path() const { return path_; }

  /// Writes the record; returns where it went for the closing line, empty for "-" and "none".
  /// Errors: Exit::cannot_write with the system reason and the name of the fallback file that now holds the
  /// record.
  std::string write(const std::string& text) const;
  /// Saves `text` under a fresh name in the system's temporary directory; returns the path, or why that
  /// failed too.
  std::string write_fallback(const std::string& text) const;

 private:
  enum class Kind { none, standard, file, direct };
  std::string default_path() const;
  void check_file();
  std::string write_file(const std::string& text) const;
  Kind kind_;
  bool force_, is_default_;
  std::string command_, path_;
};

}  // namespace dpx
