#pragma once
// A program run as a child that can neither hang this process nor outlive it.
#include <string>
#include <utility>
#include <vector>

namespace dpx {

struct ChildRun {
  std::string program;  ///< a path
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  ///< beside, or instead of, this process's
  double silence_s = 60;                                      ///< killed after so long without output
};

/// How it ended.
struct ChildEnd {
  int exit_code = -1;       ///< -1 where a signal ended it
  int signal = 0;           ///< that signal
  bool silent = false;      ///< killed: it was silent for too long
  std::string errors = {};  ///< what it wrote to stderr

  /// "exit code 3: " and the last line of `errors`, or the signal by number and name.
  std::string describe() const;
};

/// Runs to the end. stdin is empty, stdout is read and thrown away. A Ctrl-C or SIGTERM of this process is
/// passed on, and the child killed where it does not end soon; it is killed with this process, too.
/// Errors: Exit::internal with the system's reason where it cannot be started.
ChildEnd run_child(const ChildRun& run);

/// The path of the program that runs.
std::string own_program();

}  // namespace dpx
