#pragma once
// Small IDX files in a temporary directory, right or broken in the ways that people report.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"

namespace dpx::test {

/// A new empty directory that goes away with the object.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  const std::filesystem::path& path() const { return path_; }
  /// Writes (or replaces) the file `name`. Returns its path.
  std::filesystem::path write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

std::string gzip(const std::string& content);
std::string read_file(const std::filesystem::path& path);

/// IDX content of `count` images whose pixel p of image i is (i + p) % 251; `side` other than 28 is a fault.
std::string idx_images(std::uint32_t count, std::uint32_t side = 28);
/// IDX content of the labels given.
std::string idx_labels(const std::vector<std::uint8_t>& labels);
/// 0, 1, ... 9, 0, 1, ...
std::vector<std::uint8_t> cycling_labels(std::size_t count);
/// The four files, well-formed: `train` and `test` examples, gzip-compressed under the published names.
void write_dataset(const TempDir& dir, std::uint32_t train, std::uint32_t test);

/// The message of the Error that `body` throws; fails the test if there is none, it has another code, or it
/// is not one line.
std::string error_of(const std::function<void()>& body, Exit code = Exit::bad_data);

/// Success if `text` contains every one of `parts`.
::testing::AssertionResult contains(const std::string& text, const std::vector<std::string>& parts);

/// While it lives, a process of root has the rights of an ordinary user, so that permissions count.
class OrdinaryUser {
 public:
  OrdinaryUser();
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser();

 private:
  bool was_root_;
};

}  // namespace dpx::test
