#include "lib/record/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/core/error.hpp"

namespace dpx {

void cannot_write(const std::string& path, int error) {
  throw Error(Exit::cannot_write, "cannot write " + path + ": " + std::strerror(error));
}

FileWriter::FileWriter(const std::string& path, int flags, std::string shown)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)), shown_(std::move(shown)) {
  if (fd_ < 0) fail();
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void FileWriter::fail() const {
  cannot_write(shown_, errno);
}

void FileWriter::block() {
  const int flags = ::fcntl(fd_, F_GETFL);
  if (flags < 0 || ::fcntl(fd_, F_SETFL, flags & ~O_NONBLOCK) != 0) fail();
}

void FileWriter::write(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) fail();
    if (n > 0) done += std::size_t(n);
  }
}

void FileWriter::sync() {
  // EINVAL and EROFS: pipes and devices that cannot be synced.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail();
}

void FileWriter::close() {
  const int result = ::close(fd_);
  fd_ = -1;
  if (result != 0 && errno != EINTR) fail();
}

}  // namespace dpx
