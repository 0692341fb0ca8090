#include "lib/record/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "lib/core/error.hpp"
#include "lib/record/environment.hpp"
#include "lib/record/file_writer.hpp"

namespace dpx {
namespace fs = std::filesystem;
namespace {

// A file beside its final place that is removed unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : target_(target), path_(fmt::format("{}.tmp-{}", target, getpid())) {}
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const std::string& text) {
    FileWriter file(path_, O_WRONLY | O_CREAT | O_TRUNC, target_);
    file.write(text);
    file.sync();
    file.close();
  }
  // False when the target exists and may not be replaced.
  bool rename(bool replace) {
    int result = -1;
    errno = EINVAL;
    if (!replace) result = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
    if (result != 0 && errno == EEXIST) return false;
    // Not every file system knows RENAME_NOREPLACE.
    if (result != 0 && (errno == EINVAL || errno == ENOSYS))
      result = ::rename(path_.c_str(), target_.c_str());
    if (result != 0) cannot_write(target_, errno);
    return renamed_ = true;
  }

 private:
  std::string target_, path_;
  bool renamed_ = false;
};

std::string directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// The rename itself must survive a power cut; a directory that cannot be synced is no reason to fail.
void sync_directory(const std::string& path) {
  const int fd = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

bool write_atomically(const std::string& path, const std::string& text, bool replace) {
  TemporaryFile file(path);
  file.write(text);
  if (!file.rename(replace)) return false;
  sync_directory(path);
  return true;
}

OutputTarget::OutputTarget(const std::string& out, std::string command, bool force)
    : kind_(Kind::file), force_(force), is_default_(out.empty()), command_(std::move(command)), path_(out) {
  if (out == "none" || out == "-") {
    kind_ = out == "-" ? Kind::standard : Kind::none;
    path_.clear();
    return;
  }
  if (is_default_) {
    std::error_code error;
    fs::create_directories("results", error);
    if (error) cannot_write("results", error.value());
    path_ = default_path();
  }
  check_file();
}

std::string OutputTarget::default_path() const {
  const std::string stem = fmt::format("results/{}-{}", command_, utc_now(true));
  std::string path = stem + ".json";
  std::error_code error;
  for (int n = 2; fs::exists(path, error); ++n) path = fmt::format("{}-{}.json", stem, n);
  return path;
}

void OutputTarget::check_file() {
  // A link is followed by hand, so that the rename replaces the file and not the link.
  std::error_code error;
  if (const fs::path real = fs::weakly_canonical(path_, error); fs::is_symlink(path_, error) && !error)
    path_ = real.string();
  struct stat info = {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) cannot_write(path_, errno);
  if (!exists && !fs::exists(directory_of(path_), error))
    throw Error(Exit::cannot_write,
                fmt::format("cannot write {}: no directory {}", path_, directory_of(path_)));
  if (exists && S_ISDIR(info.st_mode)) cannot_write(path_, EISDIR);
  if (exists && S_ISBLK(info.st_mode))
    throw Error(Exit::cannot_write, "cannot write " + path_ + ": it is a disk");
  if (exists && !S_ISREG(info.st_mode)) {
    kind_ = Kind::direct;
    return;
  }
  if (exists && !force_) throw Error(Exit::usage, fmt::format("--out {}: exists; --force overwrites", path_));
  // The only sure test of a directory is to make a file in it.
  TemporaryFile(path_).write("");
}

// Another process may have taken the name since the check; what it wrote is kept.
std::string OutputTarget::write_file(const std::string& text) const {
  std::string path = path_;
  while (!write_atomically(path, text, force_)) {
    if (!is_default_)
      throw Error(Exit::cannot_write, fmt::format("cannot write {}: it appeared during the run", path));
    path = default_path();
  }
  return path;
}

std::string OutputTarget::write(const std::string& text) const {
  if (kind_ == Kind::none) return {};
  try {
    if (kind_ == Kind::file) return write_file(text);
    // O_NONBLOCK: a named pipe without a reader is an error at once instead of a wait without end.
    FileWriter file = kind_ == Kind::standard
                          ? FileWriter(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "standard output")
                          : FileWriter(path_, O_WRONLY | O_NONBLOCK, path_);
    if (kind_ == Kind::direct) file.block();
    file.write(text);
    file.sync();
    file.close();
    return path_;
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("{}; {}", e.what(), write_fallback(text)));
  }
}

std::string OutputTarget::write_fallback(const std::string& text) const {
  try {
    const std::string path = fmt::format("{}/dpx-{}-{}-{}.json", fs::temp_directory_path().string(), command_,
                                         utc_now(true), getpid());
    // O_EXCL: never through a link that somebody else has put there.
    FileWriter file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, path);
    file.write(text);
    file.sync();
    file.close();
    return "the record is kept in " + path;
  } catch (const std::exception& e) {
    return std::string("nor could it be kept elsewhere: ") + e.what();
  }
}

}  // namespace dpx
