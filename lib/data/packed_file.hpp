#pragma once
// Reads a file that may or may not be gzip-compressed; the content decides, never the name.
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dpx {

/// One pass over the unpacked bytes of a regular file.
class PackedFile {
 public:
  /// Errors: Exit::bad_data with the system's reason: no such file, permission denied, is a directory.
  explicit PackedFile(const std::filesystem::path& path);
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;
  ~PackedFile();

  const std::string& path() const { return path_; }
  bool gzip() const { return gzip_; }
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  /// The next `count` unpacked bytes; the result is smaller only where the content ends.
  /// Errors: Exit::bad_data when the gzip stream is damaged or followed by something else.
  std::size_t read(void* dst, std::size_t count);
  /// True after a short read if the gzip stream broke off.
  bool truncated() const { return truncated_; }
  /// True if the whole file can unpack to `bytes`, judged by gzip's trailer and best ratio without unpacking.
  /// False may also mean that it was cut off or has several members, so that only unpacking can tell.
  bool may_unpack_to(std::uint64_t bytes) const;

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::size_t read_stored(void* dst, std::size_t count);
  bool refill();
  bool next_member();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t stored_bytes_ = 0, unpacked_ = 0;
  std::uint32_t trailer_size_ = 0;
  bool gzip_ = false, truncated_ = false, ended_ = false;
  z_stream stream_{};
  std::vector<unsigned char> input_;
};

}  // namespace dpx
