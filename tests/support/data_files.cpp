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

OrdinaryUser::OrdinaryUser() : was_root_(::geteuid() == 0) {
  constexpr uid_t kNobody = 65534;
  if (was_root_ && ::seteuid(kNobody) != 0) throw std::runtime_error("root cannot become an ordinary user");
}

OrdinaryUser::~OrdinaryUser() {
  if (was_root_ && ::seteuid(0) != 0) std::abort();
}

}  // namespace dpx::test
