#pragma once
// Writing a file so that every failure is noticed: at write, at sync and at close.
#include <string>

namespace dpx {

/// An open file descriptor; closed at the end of its life if close() was not called.
class FileWriter {
 public:
  /// Errors: the constructor and the functions throw Error(Exit::cannot_write, "cannot write PATH: system
  /// reason"), where PATH is `shown`.
  FileWriter(const std::string& path, int flags, std::string shown);
  /// Takes over `fd`.
  FileWriter(int fd, std::string shown) : fd_(fd), shown_(std::move(shown)) {}
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Back to writes that wait, after an open with O_NONBLOCK.
  void block();
  void write(const std::string& text);
  /// To the disk, where the target has one.
  void sync();
  void close();

 private:
  [[noreturn]] void fail() const;
  int fd_;
  std::string shown_;
};

/// Errors: always: Exit::cannot_write, "cannot write PATH: " and the text of `error`.
[[noreturn]] void cannot_write(const std::string& path, int error);

}  // namespace dpx
