// dpx parity through the executable: passes on right code, fails with the right factor on planted faults.
#include <gtest/gtest.h>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using test::RecordedRun;
using test::run_recorded;

TEST(Parity, PassesForEveryK) {
  for (const auto& [gpus, batch] :
       {std::pair{"2", "256"}, {"3", "256"}, {"4", "5"}, {"8", "9"}, {"2", "257"}}) {
    const RecordedRun run = run_recorded({"parity", "--backend", "cpu", "--gpus", gpus, "--batch", batch});
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
    const auto& metrics = run.record["cases"][0]["metrics"];
    EXPECT_EQ(metrics["pass"], true);
    EXPECT_LE(metrics["max_abs_diff"].get<double>(), 0x1p-27);
    EXPECT_NEAR(metrics["norm_ratio"].get<double>(), 1.0, 1e-5);
    EXPECT_EQ(metrics["loss_1"], metrics["loss_k"]);
    EXPECT_NE(run.outcome.out.find("parity passed"), std::string::npos);
    EXPECT_FALSE(metrics.contains("cpu_engine")) << "the CPU engine is not compared with itself";
  }
}

TEST(Parity, TwoDevicesAreExactAndShardsAreRecorded) {
  const RecordedRun exact = run_recorded({"parity", "--gpus", "2"});
  EXPECT_EQ(exact.record["cases"][0]["metrics"]["max_abs_diff"], 0.0);
  const RecordedRun five = run_recorded({"parity", "--gpus", "2", "--batch", "5", "--seed", "1"});
  EXPECT_EQ(five.record["cases"][0]["metrics"]["shard_sizes"], nlohmann::json({3, 2}));
}

TEST(Parity, SumInsteadOfMeanIsKTimesTooLarge) {
  for (const auto& [gpus, ratio] : {std::pair{"2", "2.000"}, {"4", "4.000"}}) {
    const RecordedRun run = run_recorded({"parity", "--gpus", gpus, "--bug", "sum-not-mean"});
    EXPECT_EQ(run.outcome.exit_code, 4);
    EXPECT_EQ(run.record["status"], "failed");
    EXPECT_NE(run.outcome.out.find(std::string("ratio of update norms ") + ratio), std::string::npos)
        << run.outcome.out;
  }
}

TEST(Parity, AllMutationsAreCaught) {
  for (const char* gpus : {"2", "3"}) {
    const RecordedRun run = run_recorded({"parity", "--mutations", "--gpus", gpus});
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.out;
    EXPECT_EQ(run.record["verdict"]["faults_caught"], run.record["verdict"]["faults_planted"]);
    EXPECT_EQ(run.record["verdict"]["faults_planted"], 5);
  }
}

TEST(Parity, AllOptionsThatTrainHas) {
  const RecordedRun run =
      run_recorded({"parity", "--config", DPX_SOURCE_DIR "/configs/smoke/parity.json", "--bucket", "flat",
                    "--width", "2", "--normalize", "weighted", "--threads-per-device", "2"});
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err << run.outcome.out;
  EXPECT_EQ(run.record["config"]["bucket"], "flat");
}

TEST(Parity, MeanOfMeansIsOnlyRightForEqualShards) {
  EXPECT_EQ(run_recorded({"parity", "--normalize", "mean-of-means"}).outcome.exit_code, 0);
  EXPECT_EQ(run_recorded({"parity", "--normalize", "mean-of-means", "--batch", "5"}).outcome.exit_code, 4);
}

}  // namespace
}  // namespace dpx
