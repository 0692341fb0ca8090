#include "lib/core/fd_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace dpx {

FdBuffer::FdBuffer(int fd) : fd_(fd), line_buffered_(isatty(fd) == 1) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

int FdBuffer::sync() {
  const char* at = pbase();
  while (error_ == 0 && at < pptr()) {
    const ssize_t n = ::write(fd_, at, std::size_t(pptr() - at));
    if (n > 0) at += n;
    if (n < 0 && errno != EINTR) error_ = errno;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());  // after a failure: dropped
  return error_ == 0 ? 0 : -1;
}

int FdBuffer::overflow(int c) {
  if (sync() != 0) return traits_type::eof();
  if (c != traits_type::eof()) {
    *pptr() = char(c);
    pbump(1);
    if (line_buffered_ && c == '\n') return sync() == 0 ? c : traits_type::eof();
  }
  return traits_type::not_eof(c);
}

std::streamsize FdBuffer::xsputn(const char* text, std::streamsize count) {
  const std::streamsize written = std::streambuf::xsputn(text, count);
  if (line_buffered_ && std::find(text, text + count, '\n') != text + count && sync() != 0) return 0;
  return written;
}

}  // namespace dpx
