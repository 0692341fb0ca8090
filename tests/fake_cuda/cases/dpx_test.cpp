// The real dpx on fake GPUs: right answers, and no race under any schedule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/fake_cuda/cases/dpx_run.hpp"
#include "tests/support/data_files.hpp"

namespace dpx::test {
namespace {

/// 72 training examples: two batches of 32 and a ragged one of 8.
class DpxOnFakeGpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    data_ = new TempDir;
    write_dataset(*data_, 72, 20);
  }
  static void TearDownTestSuite() {
    delete data_;
    data_ = nullptr;
  }
  static std::vector<std::string> train(std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "--data", data_->path(), "--batch", "32", "--epochs", "1"});
    return more;
  }
  /// Mean loss of the epoch, as recorded.
  static double loss_of(const nlohmann::json& record) {
    return record.at("cases").at(0).at("metrics").at("loss");
  }
  /// The one comparison with the CPU engine among a record's checks.
  static nlohmann::json cpu_check(const nlohmann::json& record) {
    nlohmann::json found;
    for (const auto& check : record.at("checks"))
      if (check.at("name") == "difference from the CPU engine's update") found.push_back(check);
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  }
  static inline TempDir* data_ = nullptr;
};

TEST_F(DpxOnFakeGpus, ParityHolds) {
  const auto& schedules = policies();
  std::size_t next = 0;
  for (const int gpus : {1, 2, 3, 4})
    for (const char* peer : {"on", "off"}) {
      const std::string& policy = schedules[next++ % schedules.size()];
      const RecordedRun run = record_on_gpus({"parity", "--gpus", std::to_string(gpus), "--batch", "12"},
                                             {{"DPX_FAKE_PEER", peer}, {"DPX_FAKE_POLICY", policy}});
      expect_good(run.outcome, fmt::format("{} GPUs, peer access {}, {}", gpus, peer, policy));
      ASSERT_TRUE(run.record.is_object());
      EXPECT_LE(cpu_check(run.record).at("value").get<double>(), 0x1p-27) << gpus << " GPUs";
      EXPECT_EQ(run.record.at("cases").at(0).at("metrics").at("cpu_engine").at("pass"), true);
      EXPECT_NE(run.outcome.out.find(fmt::format("k={} vs engine cpu/", gpus)), std::string::npos);
    }
}

TEST_F(DpxOnFakeGpus, ParityIsWithTheCpuEngineToo) {
  const RecordedRun bug = record_on_gpus({"parity", "--gpus", "3", "--batch", "12", "--bug", "drop-shard"});
  EXPECT_EQ(bug.outcome.exit_code, 4) << bug.outcome.err;
  EXPECT_EQ(cpu_check(bug.record).at("passed"), false);

  // TF32's wider tolerances still catch every fault.
  const RecordedRun mutations =
      record_on_gpus({"parity", "--gpus", "2", "--batch", "4", "--mutations", "--math", "tf32"},
                     {{"DPX_FAKE_RACES", "off"}});
  expect_good(mutations.outcome, "mutations");
  EXPECT_EQ(mutations.record.at("verdict").at("faults_caught"), 5);
  EXPECT_EQ(cpu_check(mutations.record).at("passed"), true);
  EXPECT_GT(cpu_check(mutations.record).at("limit").get<double>(), 1e-3) << "a part of the largest update";
}

TEST_F(DpxOnFakeGpus, ParityHoldsUnderEverySchedule) {
  for (const std::string& policy : policies())
    for (const char* algorithm : {"star", "nccl"})
      expect_good(run_on_gpus({"parity", "--gpus", "2", "--batch", "4", "--algo", algorithm},
                              {{"DPX_FAKE_POLICY", policy}}),
                  policy + " " + algorithm);
}

TEST_F(DpxOnFakeGpus, ReplicasMayShareAGpu) {
  expect_good(run_on_gpus({"parity", "--devices", "cuda:0,0,1", "--batch", "12"}), "cuda:0,0,1");
}

TEST_F(DpxOnFakeGpus, TrainingGivesTheLossOfTheCpuEngine) {
  const RecordedRun cpu = run_recorded(train({"--backend", "cpu", "--gpus", "2"}));
  ASSERT_EQ(cpu.outcome.exit_code, 0) << cpu.outcome.err;
  for (const std::vector<std::string>& how : {std::vector<std::string>{},
                                              {"--graph", "off"},
                                              {"--algo", "ring"},
                                              {"--algo", "nccl"},
                                              {"--bucket", "flat"}}) {
    std::vector<std::string> args = train({"--gpus", "2"});
    args.insert(args.end(), how.begin(), how.end());
    const RecordedRun gpu = record_on_gpus(args, {{"DPX_FAKE_POLICY", "random:7"}});
    expect_good(gpu.outcome, how.empty() ? "" : how.back());
    ASSERT_TRUE(gpu.record.is_object());
    EXPECT_NEAR(loss_of(gpu.record), loss_of(cpu.record), 1e-5);
  }
}

// Every transport on 1 to 4 GPUs, each under another schedule.
TEST_F(DpxOnFakeGpus, EveryTransportTrains) {
  std::size_t next = 0;
  for (const char* transport : {"peer", "staged", "driver", "mapped"}) {
    for (const char* policy : {"lazy", "eager", "random:11"}) {
      const std::string gpus = std::to_string(1 + next++ % 4);
      expect_good(run_on_gpus(train({"--gpus", gpus, "--limit", "24", "--transport", transport}),
                              {{"DPX_FAKE_POLICY", policy}}),
                  fmt::format("{} {} on {}", transport, policy, gpus));
    }
  }
}

// Every schedule, and 1 to 4 GPUs with and without peer access.
TEST_F(DpxOnFakeGpus, AllreducesAreExact) {
  const auto& schedules = policies();
  for (std::size_t i = 0; i < schedules.size(); ++i)
    for (const std::size_t without_peer : {0u, 1u}) {
      const std::string gpus = std::to_string(1 + (i + without_peer) % 4);
      expect_good(
          run_on_gpus({"allreduce-bench", "--gpus", gpus, "--bytes", without_peer ? "4" : "10004", "--algo",
                       "star,ring,direct,nccl", "--iters", "1", "--warmup", "1", "--min-time", "0.001"},
                      {{"DPX_FAKE_PEER", without_peer ? "off" : "on"}, {"DPX_FAKE_POLICY", schedules[i]}}),
          fmt::format("{}, {} GPUs, peer access {}", schedules[i], gpus, without_peer ? "off" : "on"));
    }
}

TEST_F(DpxOnFakeGpus, AllreducesAreExactOverEveryTransport) {
  for (const char* transport : {"peer", "staged", "driver", "mapped"})
    for (const char* dtype : {"fp32", "bf16"})
      expect_good(run_on_gpus({"allreduce-bench", "--gpus", "3", "--bytes", "10004", "--algo", "star,ring",
                               "--dtype", dtype, "--iters", "1", "--warmup", "1", "--min-time", "0.001",
                               "--transport", transport},
                              {{"DPX_FAKE_POLICY", "random:3"}}),
                  fmt::format("{} {}", transport, dtype));
}

TEST_F(DpxOnFakeGpus, RingAndLinksRun) {
  const auto& schedules = policies();
  std::size_t next = 0;
  for (const char* peer : {"on", "off"}) {
    for (const char* gpus : {"1", "2", "3", "4"}) {
      const std::string& policy = schedules[next++ % schedules.size()];
      expect_good(run_on_gpus({"ring", "--gpus", gpus, "--elements", "16"},
                              {{"DPX_FAKE_PEER", peer}, {"DPX_FAKE_POLICY", policy}}),
                  fmt::format("ring on {}, {}", gpus, policy));
    }
    expect_good(run_on_gpus({"links", "--gpus", "2", "--bytes", "4096,16384,65536", "--iters", "1"},
                            {{"DPX_FAKE_PEER", peer}}),
                "links");
  }
}

// 26 MB are four pieces on three channels.
TEST_F(DpxOnFakeGpus, LargeBuffersGoInPieces) {
  for (const char* peer : {"on", "off"})
    expect_good(run_on_gpus({"ring", "--gpus", "2", "--elements", "6500001"},
                            {{"DPX_FAKE_PEER", peer}, {"DPX_FAKE_POLICY", "random:3"}}),
                fmt::format("peer access {}", peer));
  expect_good(run_on_gpus({"ring", "--algo", "star", "--gpus", "2", "--elements", "6500001"}), "star");
}

// Its passes are many: races are looked for by the others.
TEST_F(DpxOnFakeGpus, ScalingSweepFitsThePlantedTimesOfTheDouble) {
  const RecordedRun run =
      record_on_gpus({"scaling-sweep", "--gpus", "2", "--mode", "strong", "--batch", "2", "--shards", "1,2,3",
                      "--bytes", "4K,16K,64K", "--iters", "1", "--min-time", "0"},
                     {{"DPX_FAKE_RACES", "off"}});
  expect_good(run.outcome, "scaling-sweep");
  const nlohmann::json& fit = run.record.at("verdict").at("fit");
  for (const char* constant : {"t0_s", "c_s_per_example", "alpha_s", "beta_Bps"})
    EXPECT_GT(fit.at(constant).at("value").get<double>(), 0) << constant;
  for (const nlohmann::json& row : run.record.at("cases")) EXPECT_EQ(row.at("status"), "ok") << row;
}

// What the double is for: a wait that is left out of the real program is a race with names, whatever the
// schedule.
TEST_F(DpxOnFakeGpus, DroppedWaitsAreReported) {
  for (const char* policy : {"lazy", "eager", "random:5"}) {
    const Outcome run = run_on_gpus({"ring", "--gpus", "4", "--elements", "4096"},
                                    {{"DPX_FAKE_POLICY", policy}, {"DPX_FAKE_FAIL", "drop_wait:*:1"}});
    expect_failed(run, kReported, {"RACE in memory of GPU", "is not ordered after"});
  }
}

}  // namespace
}  // namespace dpx::test
