// What records say of GPUs: shares of the link rate, and dpx's own device memory.
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/dpx_run.hpp"

namespace dpx::test {
namespace {

using nlohmann::json;

const json& case_of(const json& record, const std::string& algo) {
  for (const json& row : record.at("cases"))
    if (row.at("key").at("algo") == algo) return row;
  static const json none;
  ADD_FAILURE() << "no row of " << algo << " in " << record.at("cases");
  return none;
}

// The double's times are exact: peers copy at 25 GB/s each way after 5 us.
TEST(DpxRecords, AllreducesAreMeasuredAgainstTheLinkBothWays) {
  for (const int gpus : {2, 3}) {
    const RecordedRun run =
        record_on_gpus({"allreduce-bench", "--gpus", std::to_string(gpus), "--bytes", "16384", "--algo",
                        "star,ring", "--iters", "1", "--warmup", "1", "--min-time", "0"});
    expect_good(run.outcome, "allreduce-bench");
    const json& bound = case_of(run.record, "duplex link");
    EXPECT_EQ(bound.at("key").at("kind"), "bound");
    const double least_s = bound.at("summary").at("median");
    EXPECT_DOUBLE_EQ(bound.at("metrics").at("each_way_GBps"), 16384e-9 / least_s);
    EXPECT_GT(least_s, 2 * 8192 / 25e9);
    for (const char* algo : {"star", "ring"}) {
      const json& row = case_of(run.record, algo);
      const double share = row.at("metrics").at("of_duplex_bound"), time_s = row.at("summary").at("median");
      EXPECT_NEAR(share, 2.0 * (gpus - 1) / gpus * least_s / time_s, 1e-9) << algo;
      EXPECT_GT(share, 0) << algo;
    }
    EXPECT_NE(run.outcome.out.find("to and from every device at once"), std::string::npos) << run.outcome.out;
    EXPECT_EQ(run.outcome.out.find("star of 256 MiB: at least 90 %") != std::string::npos, gpus == 2);
  }
}

TEST(DpxRecords, TrainingCountsItsDeviceMemory) {
  const RecordedRun run = record_on_gpus({"train", "--devices", "cuda:0,0,1", "--data", "synthetic",
                                          "--limit", "6", "--batch", "6", "--epochs", "1"});
  expect_good(run.outcome, "train");
  const json& memory = run.record.at("verdict").at("device_memory_bytes");
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_NE(run.outcome.out.find("memory of cuda:1: at most"), std::string::npos) << run.outcome.out;
  constexpr double kWorkspace = 64 << 20;  // of each engine
  const double one = memory.at("cuda:1"), two = memory.at("cuda:0");
  EXPECT_GT(one, kWorkspace);
  EXPECT_LT(one, 300e6);
  EXPECT_GT(two, one + kWorkspace);
}

}  // namespace
}  // namespace dpx::test
