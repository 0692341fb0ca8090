#pragma once
// Runs the real dpx, CUDA backend and all, on the double.
#include <string>
#include <vector>

#include "tests/fake_cuda/cases/fake_run.hpp"
#include "tests/support/run_record.hpp"

namespace dpx::test {

/// How dpx is run on 4 fake GPUs unless `env` says otherwise; --backend is added to `args`.
Invocation gpu_invocation(std::vector<std::string> args, Environment env = {},
                          const std::string& backend = "cuda");
/// `dpx args... --backend cuda` on 4 fake GPUs unless `env` says otherwise.
Outcome run_on_gpus(std::vector<std::string> args, Environment env = {}, const std::string& backend = "cuda");
/// The same with a record, which must hold to the schema.
RecordedRun record_on_gpus(std::vector<std::string> args, Environment env = {});

/// Fails the test unless the run ended well with nothing reported.
void expect_good(const Outcome& run, const std::string& what);
/// Fails the test unless the run ended with `exit_code` and says every one of `parts`.
void expect_failed(const Outcome& run, int exit_code, const std::vector<std::string>& parts);

}  // namespace dpx::test
