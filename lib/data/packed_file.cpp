#include "lib/data/packed_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;
constexpr std::uint64_t kBestRatio = 1032;   // of deflate: 258 bytes in 2 bits
constexpr std::uint64_t kSmallestGzip = 18;  // header and trailer

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(Exit::bad_data, fmt::format("{}: {}", path, what));
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace

PackedFile::PackedFile(const std::filesystem::path& path) : path_(path.string()) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) refuse(path_, reason(errno));
  if (S_ISDIR(status.st_mode)) refuse(path_, reason(EISDIR));
  if (!S_ISREG(status.st_mode)) refuse(path_, "not a regular file");  // opening a pipe could wait for ever
  stored_bytes_ = std::uint64_t(status.st_size);
  file_.reset(std::fopen(path_.c_str(), "rb"));
  if (!file_) refuse(path_, reason(errno));

  std::array<unsigned char, 4> bytes{};
  const std::size_t head = read_stored(bytes.data(), 2);
  gzip_ = head == 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  if (gzip_ && std::fseek(file_.get(), -4, SEEK_END) == 0 && read_stored(bytes.data(), 4) == 4)
    for (int i = 3; i >= 0; --i) trailer_size_ = trailer_size_ << 8 | bytes[std::size_t(i)];
  std::rewind(file_.get());
  if (!gzip_) return;
  input_.resize(kInputBytes);
  if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error(Exit::internal, "zlib cannot start");
}

PackedFile::~PackedFile() {
  if (gzip_) inflateEnd(&stream_);
}

std::size_t PackedFile::read_stored(void* dst, std::size_t count) {
  const std::size_t got = std::fread(dst, 1, count, file_.get());
  if (got < count && std::ferror(file_.get())) refuse(path_, reason(errno));
  return got;
}

bool PackedFile::refill() {
  if (stream_.avail_in == 0) {
    stream_.next_in = input_.data();
    stream_.avail_in = uInt(read_stored(input_.data(), input_.size()));
  }
  return stream_.avail_in > 0;
}

bool PackedFile::next_member() {
  if (!refill()) return false;
  if (*stream_.next_in != 0x1f)
    refuse(path_, fmt::format("other bytes follow the gzip stream of {} bytes", unpacked_));
  inflateReset(&stream_);
  return true;
}

std::size_t PackedFile::read(void* dst, std::size_t count) {
  if (!gzip_) return read_stored(dst, count);
  std::size_t done = 0;
  while (done < count && !ended_) {
    if (!refill()) {
      ended_ = truncated_ = true;
      break;
    }
    const std::size_t room = std::min<std::size_t>(count - done, std::numeric_limits<uInt>::max());
    stream_.next_out = static_cast<Bytef*>(dst) + done;
    stream_.avail_out = uInt(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t got = room - stream_.avail_out;
    done += got;
    unpacked_ += got;
    if (result == Z_STREAM_END)
      ended_ = !next_member();
    else if (result != Z_OK && result != Z_BUF_ERROR)
      refuse(path_, fmt::format("corrupt gzip ({}) after {} unpacked bytes",
                                stream_.msg ? stream_.msg : zError(result), unpacked_));
  }
  return done;
}

bool PackedFile::may_unpack_to(std::uint64_t bytes) const {
  if (!gzip_) return bytes == stored_bytes_;
  return stored_bytes_ >= kSmallestGzip && bytes / kBestRatio <= stored_bytes_ &&
         trailer_size_ == std::uint32_t(bytes);
}

}  // namespace dpx
