#pragma once
// An ostream over a file descriptor that remembers why a write failed; std::cout forgets.
#include <array>
#include <ostream>
#include <streambuf>

namespace dpx {

/// Buffered writer; flushed at the end of each line on a terminal, else when full or on std::flush.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd);
  ~FdBuffer() override { sync(); }
  /// errno of the first write that failed, else 0. Nothing is written after it.
  int error() const { return error_; }

 protected:
  int overflow(int c) override;
  int sync() override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;

 private:
  int fd_;
  bool line_buffered_;
  int error_ = 0;
  std::array<char, 8192> buffer_;
};

/// std::ostream over a file descriptor, which stays open.
class FdStream : public std::ostream {
 public:
  explicit FdStream(int fd) : std::ostream(nullptr), buffer_(fd) { rdbuf(&buffer_); }
  /// Flushes; errno of the first failed write, else 0.
  int finish() {
    flush();
    return buffer_.error();
  }

 private:
  FdBuffer buffer_;
};

}  // namespace dpx
