#include "tests/fake_cuda/cases/fake_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dpx::test {
namespace {

Environment with_policy(Environment env, const std::string& policy) {
  env.emplace_back("DPX_FAKE_POLICY", policy);
  return env;
}

}  // namespace

Environment with_defaults(Environment env, const Environment& defaults) {
  for (const auto& entry : defaults)
    if (std::none_of(env.begin(), env.end(), [&](const auto& other) { return other.first == entry.first; }))
      env.push_back(entry);
  return env;
}

Outcome run_fake(const std::string& program, std::vector<std::string> args, Environment env) {
  env = with_defaults(std::move(env),
                      {{"DPX_FAKE_GPUS", "2"},
                       {"DPX_FAKE_TWINS", std::string(FAKE_LIBRARIES) + "/libfake_program_twins.so"},
                       {"LD_LIBRARY_PATH", FAKE_LIBRARIES}});
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
