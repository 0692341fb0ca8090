#pragma once
// Runs a small program on the double.
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace dpx::test {

constexpr int kReported = 97;  ///< exit code of a run in which the double reported something

using Environment = std::vector<std::pair<std::string, std::string>>;

/// `env`, and those of `defaults` that it does not set.
Environment with_defaults(Environment env, const Environment& defaults);

/// `program` of tests/fake_cuda/programs with `args` on fake GPUs (2 unless `env` says otherwise).
Outcome run_fake(const std::string& program, std::vector<std::string> args, Environment env = {});

/// lazy, eager and five random ones: a correct program must pass under each.
const std::vector<std::string>& policies();

/// Fails the test unless the run ends well, with nothing reported, under every policy.
void expect_clean(const std::string& program, const std::vector<std::string>& args,
                  const Environment& env = {});

/// Fails the test unless the run ends with kReported and says every one of `parts`, under every policy.
void expect_reported(const std::string& program, const std::vector<std::string>& args,
                     const std::vector<std::string>& parts, const Environment& env = {});

}  // namespace dpx::test
