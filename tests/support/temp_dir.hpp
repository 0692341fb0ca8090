#pragma once
// Temporary directories and whole files.
#include <string>
#include <vector>

namespace dpx::test {

/// A fresh directory, removed with everything in it at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  /// Full path of `name` in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes (or replaces) the file `name`; returns its full path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Content of a file, byte for byte. Errors: std::runtime_error when it cannot be read.
std::string read_file(const std::string& path);
/// Names in a directory, sorted.
std::vector<std::string> list_directory(const std::string& path);

}  // namespace dpx::test
