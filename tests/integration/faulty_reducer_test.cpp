// The commands' own checks on devices whose reducers forget the last rank: each must fail, say so and exit
// with 4.
#include <gtest/gtest.h>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

test::RecordedRun run_faulty(std::vector<std::string> args) {
  return test::run_recorded(
      test::Invocation{.program = DPX_FAULTY_EXECUTABLE, .args = std::move(args), .timeout_s = 120});
}

TEST(FaultyReducer, AllreduceBenchCountsWrongElements) {
  const test::RecordedRun run = run_faulty(
      {"allreduce-bench", "--gpus", "2", "--bytes", "4,1K", "--algo", "star,ring,direct", "--min-time", "0"});
  EXPECT_EQ(run.outcome.exit_code, 4) << run.outcome.err;
  EXPECT_EQ(run.record["status"], "failed");
  for (const auto& row : run.record["cases"]) {
    if (row["key"]["kind"] != "allreduce") continue;
    EXPECT_EQ(row["metrics"]["wrong"], 2 * row["key"]["bytes"].get<int>() / 4) << row["key"];
    EXPECT_EQ(row["status"], "failed");
    EXPECT_NE(row["reason"].get<std::string>().find("rank 0 element 0"), std::string::npos) << row["reason"];
  }
}

TEST(FaultyReducer, RingSeesIt) {
  EXPECT_EQ(run_faulty({"ring", "--gpus", "4", "--elements", "10"}).outcome.exit_code, 4);
}

TEST(FaultyReducer, ParitySeesItWithoutBeingToldOfAFault) {
  const test::RecordedRun run = run_faulty({"parity", "--gpus", "2", "--batch", "64"});
  EXPECT_EQ(run.outcome.exit_code, 4);
  EXPECT_NE(run.outcome.out.find("parity FAILED"), std::string::npos) << run.outcome.out;
}

}  // namespace
}  // namespace dpx
