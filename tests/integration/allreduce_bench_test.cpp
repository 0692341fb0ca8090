// dpx allreduce-bench through the executable.
#include <gtest/gtest.h>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using test::expect_refusal;
using test::RecordedRun;
using test::run_recorded;

RecordedRun bench(std::vector<std::string> more) {
  std::vector<std::string> args{"allreduce-bench", "--backend", "cpu", "--min-time", "0"};
  args.insert(args.end(), more.begin(), more.end());
  return run_recorded(args);
}

TEST(AllreduceBench, EveryAlgorithmIsRightAtEverySize) {
  const RecordedRun run = bench({"--gpus", "2,4", "--bytes", "0,4,1K,100K", "--algo",
                                 "star,ring,tree,halving-doubling,direct,parameter-server:2"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  int rows = 0;
  for (const auto& row : run.record["cases"]) {
    if (row["key"]["kind"] != "allreduce") continue;
    ++rows;
    const auto& m = row["metrics"];
    EXPECT_EQ(m["wrong"], 0) << row["key"];
    EXPECT_EQ(m["ranks_identical"], true);
    EXPECT_EQ(m["bytes_carried"], m["bytes_expected"]) << row["key"];
    EXPECT_GE(row["samples_s"].size(), 5u);
    EXPECT_EQ(m["warmup_samples_s"].size(), 2u);
  }
  EXPECT_EQ(rows, 2 * 4 * 6);
}

TEST(AllreduceBench, ConventionsFollowTheirFormulas) {
  const RecordedRun run = bench({"--gpus", "4", "--bytes", "1M", "--algo", "ring"});
  const auto& row = run.record["cases"][0];
  const double algbw = 1048576 / row["summary"]["median"].get<double>() * 1e-9;
  EXPECT_NEAR(row["metrics"]["algbw_GBps"].get<double>(), algbw, 1e-9 * algbw);
  EXPECT_NEAR(row["metrics"]["busbw_GBps"].get<double>(), algbw * 1.5, 1e-9 * algbw);
  EXPECT_NEAR(row["metrics"]["effective_GBps"].get<double>(), algbw * 2, 1e-9 * algbw);
}

TEST(AllreduceBench, OneDeviceHasNoBandwidth) {
  const RecordedRun run = bench({"--gpus", "1", "--bytes", "1M", "--algo", "star,direct"});
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_TRUE(run.record["cases"][0]["metrics"]["busbw_GBps"].is_null());
  EXPECT_TRUE(run.record["cases"][0]["metrics"]["effective_GBps"].is_null());
  EXPECT_EQ(run.record["cases"][0]["metrics"]["wrong"], 0);
  EXPECT_NE(run.outcome.out.find("n/a"), std::string::npos);
}

TEST(AllreduceBench, Bf16BothWays) {
  for (const char* accum : {"fp32", "bf16"}) {
    const RecordedRun run = bench({"--gpus", "3", "--bytes", "2,1000,64K", "--algo", "ring,direct", "--dtype",
                                   "bf16", "--accum-dtype", accum});
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
    EXPECT_EQ(run.record["status"], "ok");
  }
}

TEST(AllreduceBench, SizesInTheWordsOfNcclTests) {
  const RecordedRun run =
      bench({"-g", "2", "-b", "1K", "-e", "64K", "-f", "4", "-n", "3", "-w", "1", "--algo", "direct"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  std::vector<std::int64_t> sizes;
  for (const auto& row : run.record["cases"])
    if (row["key"]["kind"] == "allreduce") sizes.push_back(row["key"]["bytes"]);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{1024, 4096, 16384, 65536}));
}

TEST(AllreduceBench, BadInput) {
  const auto refused = [](std::vector<std::string> more, int code, std::vector<std::string> parts) {
    more.insert(more.begin(), "allreduce-bench");
    expect_refusal(more, code, parts);
  };
  refused({"--bytes", "-1"}, 2, {"bytes", "-1"});
  refused({"--bytes", "0x10"}, 2, {"0x10"});
  refused({"--bytes", "1e99"}, 2, {"1e99"});
  refused({"--bytes", "17179869185G"}, 2, {"17179869185G"});
  refused({"--bytes", "256 M"}, 2, {"256 M"});
  refused({"--bytes", "3"}, 2, {"3", "fp32"});
  refused({"--algo", "rign"}, 2, {"rign", "ring"});
  refused({"--algo", "star,halving-doubling", "--gpus", "6"}, 2, {"halving-doubling", "6"});
  refused({"--gpus", "0"}, 2, {"gpus", "0"});
  refused({"-b", "1G", "-e", "1M"}, 2, {"begin", "end"});
  refused({"-b", "1G"}, 2, {"end"});
  refused({"--bytes", "8T", "--gpus", "4", "--backend", "cpu"}, 3, {"needs", "available"});
}

TEST(AllreduceBench, RefusesSettingsOfNcclThatItCannotMean) {
  const auto refused = [](const std::string& algo, const std::string& setting,
                          const std::vector<std::string>& parts, const std::string& backend = "cuda") {
    expect_refusal({"allreduce-bench", "--backend", backend, "--algo", algo, "--nccl-env", setting}, 2,
                   parts);
  };
  refused("ring", "NCCL_PROTO=LL", {"--nccl-env", "--algo ring", "nccl"});
  refused("nccl", "LD_PRELOAD=x", {"--nccl-env", "'LD_PRELOAD'", "NCCL_*"});
  refused("nccl", "NCCL_PROTO", {"--nccl-env", "no '='", "NAME=VALUE"});
  refused("nccl", "NCCL_PROTO=LL", {"--nccl-env", "--backend cuda"}, "cpu");
}

}  // namespace
}  // namespace dpx
