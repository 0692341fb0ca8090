#include "tests/support/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace dpx::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  void close_read() {
    if (read >= 0) close(read);
    read = -1;
  }
  void close_write() {
    if (write >= 0) close(write);
    write = -1;
  }
};

// The child's half: only calls that are safe between fork and exec.
[[noreturn]] void become(const Invocation& what, char* const* argv, char* const* envp, int in, int out,
                         int err) {
  if (!what.stdout_path.empty()) out = open(what.stdout_path.c_str(), O_WRONLY | O_CREAT, 0644);
  signal(SIGPIPE, SIG_DFL);
  if (out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
  if (!what.cwd.empty() && chdir(what.cwd.c_str()) != 0) _exit(126);
  execve(what.program.c_str(), argv, envp);
  _exit(127);
}

std::vector<std::string> environment_with(const Invocation& what) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line(*entry), name = line.substr(0, line.find('='));
    const auto same = [&](const auto& added) { return added.first == name; };
    if (std::none_of(what.env.begin(), what.env.end(), same)) out.push_back(line);
  }
  for (const auto& [name, value] : what.env) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Moves what is there from `fd` to `text`; false at the end of the stream.
bool drain(int fd, std::string& text) {
  char block[8192];
  const ssize_t n = read(fd, block, sizeof block);
  if (n > 0) text.append(block, std::size_t(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Decides when the signals of an invocation are due.
class Signals {
 public:
  explicit Signals(const Invocation& what) : what_(what), left_(what.signal == 0 ? 0 : what.signal_count) {}
  void send_due(pid_t child, const Outcome& so_far, double now_s) {
    if (left_ == 0 || now_s < next_s_) return;
    const bool seen = what_.signal_after_text.empty()
                          ? now_s >= what_.signal_after_s
                          : (so_far.out + so_far.err).find(what_.signal_after_text) != std::string::npos;
    if (!seen) return;
    kill(child, what_.signal);
    next_s_ = now_s + 0.05;
    --left_;
  }

 private:
  const Invocation& what_;
  int left_;
  double next_s_ = 0;
};

// Reads both streams until they end or time is up.
void watch(pid_t child, const Invocation& what, Pipe& out, Pipe& err, Clock::time_point begin,
           Outcome& result) {
  Signals signals(what);
  while (out.read >= 0 || err.read >= 0) {
    const double now_s = seconds_since(begin);
    if (now_s > what.timeout_s) {
      result.timed_out = true;
      kill(child, SIGKILL);
      return;
    }
    signals.send_due(child, result, now_s);
    pollfd ends[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
    poll(ends, 2, 10);
    if (ends[0].revents != 0 && !drain(out.read, result.out)) out.close_read();
    if (ends[1].revents != 0 && !drain(err.read, result.err)) err.close_read();
  }
}

}  // namespace

Outcome run_process(const Invocation& what) {
  std::vector<std::string> args{what.program}, env = environment_with(what);
  args.insert(args.end(), what.args.begin(), what.args.end());
  const auto argv = pointers(args), envp = pointers(env);
  Pipe in, out, err;
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(what, argv.data(), envp.data(), in.read, out.write, err.write);
  in.close_read();
  out.close_write();
  err.close_write();
  // Small texts only: they fit the pipe, so this cannot wait for a child that does not read.
  if (!what.stdin_text.empty() && write(in.write, what.stdin_text.data(), what.stdin_text.size()) < 0)
    fail("write");
  in.close_write();

  Outcome result;
  watch(child, what, out, err, begin, result);
  int status = 0;
  waitpid(child, &status, 0);
  result.wall_s = seconds_since(begin);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (result.exit_code >= 126 && result.exit_code <= 127 && result.err.empty())
    throw std::runtime_error("cannot start " + what.program);
  return result;
}

Outcome run_dpx(std::vector<std::string> args, const std::string& cwd) {
  return run_process({.program = DPX_EXECUTABLE, .args = std::move(args), .cwd = cwd});
}

Outcome validate_records(const std::vector<std::string>& paths) {
  const std::string python =
      std::strlen(DPX_PYTHON) > 0 ? DPX_PYTHON : "python3";  // the script says what is missing
  std::vector<std::string> args{DPX_SOURCE_DIR "/scripts/validate_record.py"};
  args.insert(args.end(), paths.begin(), paths.end());
  return run_process({.program = python, .args = std::move(args)});
}

}  // namespace dpx::test
