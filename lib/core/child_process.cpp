#include "lib/core/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"

namespace dpx {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kGraceAfterSignal = 2;  // seconds
constexpr int kLookEvery = 50;           // milliseconds

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(Exit::internal, what + ": " + std::strerror(errno));
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }
  /// Moves what is there to `text`; false once nothing can come any more.
  bool drain(std::string& text) {
    std::array<char, 8192> block;
    const ssize_t n = read(read_end(), block.data(), block.size());
    if (n > 0) text.append(block.data(), std::size_t(n));
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<std::string> environment_with(const ChildRun& run) {
  std::vector<std::string> lines;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string line(*entry), name = line.substr(0, line.find('='));
    bool replaced = false;
    for (const auto& variable : run.env) replaced = replaced || variable.first == name;
    if (!replaced) lines.push_back(line);
  }
  for (const auto& [name, value] : run.env) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The child's half: only calls that are safe between fork and exec. A process group of its own, so that a
// terminal's Ctrl-C reaches it once, from here.
[[noreturn]] void become(const char* program, char* const* argv, char* const* envp, int out, int err,
                         pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);  // it ended before it could be seen ending
  signal(SIGPIPE, SIG_DFL);
  const int in = open("/dev/null", O_RDONLY);
  if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // GPUs that this process has open are none of its business
  execve(program, argv, envp);
  _exit(127);
}

class Child {
 public:
  explicit Child(const ChildRun& run);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ChildEnd watch(double silence_s);

 private:
  bool listen(std::string& errors);
  bool ended();
  void pass_signal_on();
  pid_t pid_ = -1;
  int status_ = 0, passed_on_ = 0;
  Clock::time_point passed_at_;
  Pipe out_, err_;
};

Child::Child(const ChildRun& run) {
  std::vector<std::string> args{run.program}, env = environment_with(run);
  args.insert(args.end(), run.args.begin(), run.args.end());
  const auto argv = pointers(args), envp = pointers(env);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("cannot start " + run.program);
  if (pid_ == 0)
    become(run.program.c_str(), argv.data(), envp.data(), out_.write_end(), err_.write_end(), parent);
  setpgid(pid_, pid_);  // whoever of the two comes first
  out_.close_end(1);
  err_.close_end(1);
  fcntl(out_.read_end(), F_SETFL, O_NONBLOCK);
  fcntl(err_.read_end(), F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
}

// True where something was said.
bool Child::listen(std::string& errors) {
  std::array<pollfd, 2> ends{pollfd{out_.read_end(), POLLIN, 0}, pollfd{err_.read_end(), POLLIN, 0}};
  if (poll(ends.data(), ends.size(), kLookEvery) <= 0) return false;
  std::string thrown_away;
  if (ends[0].revents != 0 && !out_.drain(thrown_away)) out_.close_end(0);
  const std::size_t before = errors.size();
  if (ends[1].revents != 0 && !err_.drain(errors)) err_.close_end(0);
  return !thrown_away.empty() || errors.size() > before;
}

bool Child::ended() {
  if (waitpid(pid_, &status_, WNOHANG) != pid_) return false;
  pid_ = -1;
  return true;
}

void Child::pass_signal_on() {
  const int number = interrupt_signal();
  if (number == 0 || passed_on_ == SIGKILL) return;
  if (passed_on_ == 0) {
    passed_at_ = Clock::now();
    kill(-pid_, passed_on_ = number);
  } else if (seconds_since(passed_at_) > kGraceAfterSignal) {
    kill(-pid_, passed_on_ = SIGKILL);
  }
}

ChildEnd Child::watch(double silence_s) {
  ChildEnd end;
  for (Clock::time_point heard = Clock::now(); !ended();) {
    if (listen(end.errors)) heard = Clock::now();
    pass_signal_on();
    if (end.silent || seconds_since(heard) <= silence_s) continue;
    end.silent = true;
    kill(-pid_, SIGKILL);
  }
  while (listen(end.errors)) continue;
  if (WIFSIGNALED(status_)) end.signal = WTERMSIG(status_);
  if (WIFEXITED(status_)) end.exit_code = WEXITSTATUS(status_);
  return end;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

}  // namespace

std::string ChildEnd::describe() const {
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  const std::string said = last_line(errors);
  return fmt::format("exit code {}{}{}", exit_code, said.empty() ? "" : ": ", said);
}

ChildEnd run_child(const ChildRun& run) {
  ChildEnd end = Child(run).watch(run.silence_s);
  if ((end.exit_code == 126 || end.exit_code == 127) && end.errors.empty())
    throw Error(Exit::internal, "cannot start " + run.program);
  return end;
}

std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace dpx
