#pragma once
// Small IDX files in a temporary directory, right or broken in the ways that people report.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace dpx::test {

std::string gzip(const std::string& content);

/// IDX content of `count` images whose pixel p of image i is (i + p) % 251; `side` other than 28 is a fault.
std::string idx_images(std::uint32_t count, std::uint32_t side = 28);
/// IDX content of the labels given.
std::string idx_labels(const std::vector<std::uint8_t>& labels);
/// 0, 1, ... 9, 0, 1, ...
std::vector<std::uint8_t> cycling_labels(std::size_t count);
/// The four files, well-formed: `train` and `test` examples, gzip-compressed under the published names.
void write_dataset(const TempDir& dir, std::uint32_t train, std::uint32_t test);

/// error_of for refusals of data.
template <class Body>
std::string data_error_of(Body&& body, Exit code = Exit::bad_data) {
  return error_of(body, code);
}

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
