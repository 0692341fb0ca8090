#include "tests/fake_cuda/cases/fake_run.hpp"

#include <gtest/gtest.h>

namespace dpx::test {
namespace {

Environment with_policy(Environment env, const std::string& policy) {
  env.emplace_back("DPX_FAKE_POLICY", policy);
  return env;
}

}  // namespace

Outcome run_fake(const std::string& program, std::vector<std::string> args, Environment env) {
  env.insert(env.begin(), {{"DPX_FAKE_GPUS", "2"}, {"LD_LIBRARY_PATH", FAKE_LIBRARIES}});  // what `env` says comes later
  env.emplace_back("DPX_FAKE_TWINS", std::string(FAKE_LIBRARIES) + "/libfake_program_twins.so");
  return run_process({.program = std::string(FAKE_PROGRAMS) + "/" + program,
                      .args = std::move(args),
                      .env = std::move(env)});
}

const std::vector<std::string>& policies() {
  static const std::vector<std::string> all = {"lazy",     "eager",    "random:1", "random:2",
                                               "random:3", "random:4", "random:5"};
  return all;
}

void expect_clean(const std::string& program, const std::vector<std::string>& args, const Environment& env) {
  for (const std::string& policy : policies()) {
    const Outcome run = run_fake(program, args, with_policy(env, policy));
    EXPECT_EQ(run.exit_code, 0) << policy << "\n" << run.out << run.err;
    EXPECT_EQ(run.err, "") << policy;
  }
}

void expect_reported(const std::string& program, const std::vector<std::string>& args,
                     const std::vector<std::string>& parts, const Environment& env) {
  for (const std::string& policy : policies()) {
    const Outcome run = run_fake(program, args, with_policy(env, policy));
    EXPECT_EQ(run.exit_code, kReported) << policy << "\n" << run.out << run.err;
    for (const std::string& part : parts)
      EXPECT_NE(run.err.find(part), std::string::npos) << policy << ": no '" << part << "' in\n" << run.err;
  }
}

}  // namespace dpx::test
