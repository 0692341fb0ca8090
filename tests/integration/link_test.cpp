// --link through the executable: emulated links are marked, take their time and change no result.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::expect_refusal;
using test::RecordedRun;
using test::run_recorded;

std::vector<std::string> train(std::vector<std::string> more) {
  std::vector<std::string> args{"train",  "--data", "synthetic", "--limit", "256",       "--batch", "128",
                                "--gpus", "2",      "--epochs",  "1",       "--backend", "cpu"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(EmulatedLink, TrainTakesTheLinksTimeAndSaysSo) {
  const RecordedRun run = run_recorded(train({"--link", "alpha=1ms,beta=1GB/s"}));
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(run.record["config"]["link"], "alpha=1ms,beta=1GB/s");
  EXPECT_EQ(run.record["environment"]["emulated"], true);
  const json& verdict = run.record["verdict"];
  EXPECT_TRUE(verdict["transport"].get<std::string>().starts_with("emulated link (alpha 1")) << verdict;
  EXPECT_TRUE(verdict["link"].get<std::string>().starts_with("emulated: alpha 1")) << verdict;
  const double per_step_s = verdict["link_time_s_per_step"];
  EXPECT_GE(per_step_s, verdict["allreduces_per_step"].get<double>() * 2e-3) << "two messages each";
  const json& metrics = run.record["cases"][0]["metrics"];
  EXPECT_GE(metrics["allreduce_s"].get<double>(), metrics["steps"].get<double>() * per_step_s);
  EXPECT_NE(run.outcome.out.find("times are over an emulated link (alpha 1"), std::string::npos)
      << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("device(s) over an emulated link"), std::string::npos) << run.outcome.out;

  const RecordedRun plain = run_recorded(train({}));
  EXPECT_EQ(plain.record["verdict"]["replica_hashes_end"], verdict["replica_hashes_end"]);
  EXPECT_EQ(plain.record["verdict"]["transport"], "shared memory");
  EXPECT_FALSE(plain.record["config"].contains("link"));
  EXPECT_EQ(plain.outcome.out.find("link"), std::string::npos) << plain.outcome.out;
}

TEST(EmulatedLink, ParityHoldsOverEveryDuplex) {
  for (const char* duplex : {"full", "half", "bus"}) {
    const RecordedRun run = run_recorded({"parity", "--backend", "cpu", "--gpus", "3", "--algo", "ring",
                                          "--link", std::string("beta=1GB/s,duplex=") + duplex});
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
    const std::string transport = run.record["cases"][0]["metrics"]["transport"];
    EXPECT_NE(transport.find("emulated link"), std::string::npos) << transport;
    EXPECT_NE(transport.find(duplex), std::string::npos) << transport;
    EXPECT_NE(run.outcome.out.find("over an emulated link"), std::string::npos);
  }
}

TEST(EmulatedLink, AllreduceBenchTakesTheLinksTime) {
  for (const char* dtype : {"fp32", "bf16"}) {
    const RecordedRun run =
        run_recorded({"allreduce-bench", "--backend", "cpu", "--gpus", "1,3", "--algo", "star,ring,star:4",
                      "--bytes", "0,96K", "--iters", "2", "--min-time", "0", "--dtype", dtype,
                      "--accum-dtype", dtype, "--link", "alpha=1ms,beta=1GB/s"});
    ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err << run.outcome.out;
    EXPECT_EQ(run.record["environment"]["emulated"], true);
    EXPECT_NE(run.outcome.out.find("3 device(s) that share this machine's hardware (emulated) over emulated "
                                   "links: alpha 1"),
              std::string::npos)
        << run.outcome.out;
    for (const json& row : run.record["cases"]) {
      const int k = row["key"]["gpus"];
      ASSERT_EQ(row["key"]["kind"], "allreduce") << "memory bounds nothing here";
      EXPECT_GE(row["summary"]["min"], row["metrics"]["link_time_s"]);
      if (k == 3 && row["key"]["algo"] == "star" && row["key"]["bytes"] == 98304) {
        EXPECT_NEAR(row["metrics"]["link_time_s"].get<double>(), 4 * (1e-3 + 98304e-9), 1e-9);
      }
    }
  }
}

TEST(EmulatedLink, RingIsTimedBesideItsModel) {
  const RecordedRun run = run_recorded(
      {"ring", "--backend", "cpu", "--gpus", "4", "--elements", "1000", "--link", "alpha=5ms,beta=1GB/s"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  const json& row = run.record["cases"].back();
  EXPECT_EQ(row["key"]["part"], "emulated");
  EXPECT_EQ(row["metrics"]["emulated"], true);
  EXPECT_NEAR(row["metrics"]["model_time_s"].get<double>(), 6 * (5e-3 + 1e-6), 1e-9);
  EXPECT_EQ(row["samples_s"].size(), 5u);
  EXPECT_GE(row["summary"]["min"].get<double>(), row["metrics"]["model_time_s"].get<double>());
  EXPECT_NE(run.outcome.out.find("real time over an emulated link"), std::string::npos) << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("#wrong 0"), std::string::npos);
}

TEST(EmulatedLink, OneDeviceHasNoTimeOnALink) {
  const RecordedRun run =
      run_recorded({"ring", "--backend", "cpu", "--gpus", "1", "--link", "alpha=1s,beta=1GB/s"});
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_TRUE(run.record["cases"].back()["metrics"]["model_time_s"].is_null());
  EXPECT_EQ(run.record["environment"]["emulated"], true);
}

TEST(EmulatedLink, CtrlCDoesNotWaitForTheLink) {
  const RecordedRun run = run_recorded(test::Invocation{.program = DPX_EXECUTABLE,
                                                        .args = train({"--link", "alpha=1800s,beta=1GB/s"}),
                                                        .signal = SIGINT,
                                                        .signal_after_text = "update",
                                                        .timeout_s = 60});
  EXPECT_EQ(run.outcome.exit_code, 130) << run.outcome.err;
  EXPECT_EQ(run.record["status"], "interrupted");
  for (const json& row : run.record["cases"])
    EXPECT_EQ(row["status"], "interrupted") << "a time cut short is no epoch's time";
}

TEST(EmulatedLink, Refusals) {
  for (const char* command : {"train", "parity", "ring"}) {
    expect_refusal({command, "--link", "alpha=5us"}, 2, {"--link", "beta"});
    expect_refusal({command, "--link", "beta=1GB/s,duplex=both"}, 2, {"--link", "both", "full, half, bus"});
    expect_refusal({command, "--link", "beta=1GB/s", "--backend", "cuda"}, 3, {"cuda"});
  }
}

}  // namespace
}  // namespace dpx
