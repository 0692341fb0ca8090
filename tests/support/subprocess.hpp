#pragma once
// Runs an executable as a user would and captures what it leaves: output, exit code or signal. For
// integration tests.
//
//   const Outcome r = run_dpx({"train", "--batch=-256"});
//   EXPECT_EQ(r.exit_code, 2) << r.err;
//   const Outcome i = run_process({.program = DPX_EXECUTABLE, .args = {"train"}, .signal = SIGINT,
//   .signal_after_s = 0.5});
//
// Every run is bounded: past `timeout_s` the process is killed and `timed_out` is true.
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace dpx::test {

/// What to run.
struct Invocation {
  std::string program;
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  ///< added to this process's environment
  std::string cwd = {};                                       ///< empty: this process's
  std::string stdin_text = {};
  std::string stdout_path = {};  ///< not empty: stdout goes to this file (/dev/full) and is not captured
  int signal = 0;                ///< sent once `signal_after_s` have passed
  double signal_after_s = 0;
  std::string signal_after_text =
      {};                ///< not empty: sent when stderr or stdout contains this, instead of after a time
  int signal_count = 1;  ///< how often, 50 ms apart
  double timeout_s = 60;
};

/// What came of it.
struct Outcome {
  int exit_code = -1;  ///< -1 when ended by a signal
  int signal = 0;      ///< the signal that ended it, 0 when it exited
  bool timed_out = false;
  std::string out, err;
  double wall_s = 0;
};

/// Errors: std::runtime_error when the process could not be started.
Outcome run_process(const Invocation& what);

/// The dpx under test with `args`, in directory `cwd` (empty: this process's).
Outcome run_dpx(std::vector<std::string> args, const std::string& cwd = {});

/// scripts/validate_record.py on the records at `paths`: exit code 0 when all match the schema, faults on
/// stderr.
Outcome validate_records(const std::vector<std::string>& paths);
inline Outcome validate_record(const std::string& path) {
  return validate_records({path});
}

}  // namespace dpx::test
