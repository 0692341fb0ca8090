// dpx links through the executable: every pair, both directions, bytes checked, constants fitted.
#include <gtest/gtest.h>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::expect_refusal;
using test::RecordedRun;
using test::run_recorded;

TEST(Links, TimesAndChecksEveryPair) {
  const RecordedRun run =
      run_recorded({"links", "--backend", "cpu", "--gpus", "3", "--bytes", "4K,64K,256K", "--iters", "2"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  // 6 ordered pairs one way and 3 pairs both ways, 3 sizes each
  ASSERT_EQ(run.record["cases"].size(), 27u);
  for (const json& row : run.record["cases"]) {
    EXPECT_EQ(row["key"]["transport"], "memory");
    EXPECT_EQ(row["samples_s"].size(), 2u);
    EXPECT_GT(row["metrics"]["rate_GBps"].get<double>(), 0);
  }
  EXPECT_EQ(run.record["verdict"]["fits"].size(), 9u);
  EXPECT_EQ(run.record["checks"].size(), 12u) << "both ways are two checks";
}

TEST(Links, TwoSizesAreTooFewToFit) {
  const RecordedRun run =
      run_recorded({"links", "--backend", "cpu", "--gpus", "2", "--bytes", "4K,64K", "--iters", "1"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_FALSE(run.record["verdict"].contains("fits"));
}

TEST(Links, TransportsAreForGpus) {
  expect_refusal({"links", "--backend", "cpu", "--transport", "staged"}, 3,
                 {"--transport", "--backend cuda"});
}

}  // namespace
}  // namespace dpx
