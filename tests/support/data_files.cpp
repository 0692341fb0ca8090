#include "tests/support/data_files.hpp"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dpx::test {
namespace {

std::string big_endian(const std::vector<std::uint32_t>& words) {
  std::string bytes;
  for (std::uint32_t word : words)
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(char(word >> shift & 0xff));
  return bytes;
}

}  // namespace

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "dpx-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary directory");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDir::write(const std::string& name, const std::string& content) const {
  std::ofstream file(path_ / name, std::ios::binary | std::ios::trunc);
  file.write(content.data(), std::streamsize(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + (path_ / name).string());
  return path_ / name;
}

std::string gzip(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string packed(deflateBound(&stream, uLong(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = uInt(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = uInt(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib");
  return packed;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string idx_images(std::uint32_t count, std::uint32_t side) {
  std::string bytes = big_endian({2051, count, side, side});
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t p = 0; p < side * side; ++p) bytes.push_back(char((i + p) % 251));
  return bytes;
}

std::string idx_labels(const std::vector<std::uint8_t>& labels) {
  return big_endian({2049, std::uint32_t(labels.size())}) + std::string(labels.begin(), labels.end());
}

std::vector<std::uint8_t> cycling_labels(std::size_t count) {
  std::vector<std::uint8_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = std::uint8_t(i % 10);
  return labels;
}

void write_dataset(const TempDir& dir, std::uint32_t train, std::uint32_t test) {
  dir.write("train-images-idx3-ubyte.gz", gzip(idx_images(train)));
  dir.write("train-labels-idx1-ubyte.gz", gzip(idx_labels(cycling_labels(train))));
  dir.write("t10k-images-idx3-ubyte.gz", gzip(idx_images(test)));
  dir.write("t10k-labels-idx1-ubyte.gz", gzip(idx_labels(cycling_labels(test))));
}

std::string error_of(const std::function<void()>& body, Exit code) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(int(error.code()), int(code)) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no dpx::Error was thrown";
  return "";
}

::testing::AssertionResult contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
  return ::testing::AssertionSuccess();
}

OrdinaryUser::OrdinaryUser() : was_root_(::geteuid() == 0) {
  constexpr uid_t kNobody = 65534;
  if (was_root_ && ::seteuid(kNobody) != 0) throw std::runtime_error("root cannot become an ordinary user");
}

OrdinaryUser::~OrdinaryUser() {
  if (was_root_ && ::seteuid(0) != 0) std::abort();
}

}  // namespace dpx::test
