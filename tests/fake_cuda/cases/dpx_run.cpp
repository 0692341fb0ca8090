#include "tests/fake_cuda/cases/dpx_run.hpp"

#include <gtest/gtest.h>

namespace dpx::test {

Invocation gpu_invocation(std::vector<std::string> args, Environment env, const std::string& backend) {
  args.insert(args.end(), {"--backend", backend});
  env = with_defaults(std::move(env),
                      {{"DPX_FAKE_GPUS", "4"},
                       {"DPX_FAKE_CHECK_TWINS", "on"},
                       {"DPX_FAKE_TWINS", std::string(FAKE_LIBRARIES) + "/libfake_dpx_twins.so"},
                       {"LD_LIBRARY_PATH", FAKE_LIBRARIES}});
  return {.program = DPX_EXECUTABLE, .args = std::move(args), .env = std::move(env), .timeout_s = 300};
}

Outcome run_on_gpus(std::vector<std::string> args, Environment env, const std::string& backend) {
  args.insert(args.end(), {"--out", "none"});
  return run_process(gpu_invocation(std::move(args), std::move(env), backend));
}

RecordedRun record_on_gpus(std::vector<std::string> args, Environment env) {
  return run_recorded(gpu_invocation(std::move(args), std::move(env)));
}

void expect_good(const Outcome& run, const std::string& what) {
  EXPECT_EQ(run.exit_code, 0) << what << "\n" << run.out << run.err;
  EXPECT_EQ(run.err.find("fakecuda:"), std::string::npos) << what << "\n" << run.err;
}

void expect_failed(const Outcome& run, int exit_code, const std::vector<std::string>& parts) {
  EXPECT_EQ(run.exit_code, exit_code) << run.out << run.err;
  for (const std::string& part : parts)
    EXPECT_NE(run.err.find(part), std::string::npos) << "no '" << part << "' in\n" << run.err;
}

}  // namespace dpx::test
