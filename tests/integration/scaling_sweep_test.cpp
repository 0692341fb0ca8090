// dpx scaling-sweep through the executable: planted constants are found again, rows that do not fit say why.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/planted.hpp"
#include "tests/support/retried.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::expect_refusal;
using test::RecordedRun;
using test::run_planted;
using test::run_recorded;
using test::step_case;

constexpr int kTries = 6;

void expect_constant(const json& fit, const char* name, double planted) {
  EXPECT_NEAR(fit[name]["value"].get<double>(), planted, 0.05 * planted) << name;
  EXPECT_LE(fit[name]["low"].get<double>(), fit[name]["value"].get<double>());
  EXPECT_GE(fit[name]["high"].get<double>(), fit[name]["value"].get<double>());
}

void expect_planted_constants_and_steps() {
  const RecordedRun run =
      run_planted("t0=12ms,c=0.2ms", {"scaling-sweep", "--min-time", "0", "--gpus", "1,2", "--mode", "both",
                                      "--batch", "128", "--shards", "16,64,128", "--bytes", "4K,128K,512K",
                                      "--bucket", "flat", "--iters", "5", "--link", "alpha=6ms,beta=50MB/s"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  const json& fit = run.record["verdict"]["fit"];
  expect_constant(fit, "t0_s", 12e-3);
  expect_constant(fit, "c_s_per_example", 0.2e-3);
  expect_constant(fit, "alpha_s", 6e-3);
  expect_constant(fit, "beta_Bps", 50e6);
  EXPECT_EQ(run.record["environment"]["emulated"], true);

  const double strong_s = 12e-3 + 64 * 0.2e-3 + 2 * (6e-3 + 516272 / 50e6), one_s = 12e-3 + 128 * 0.2e-3;
  const json strong = step_case(run.record, "strong", 2), weak = step_case(run.record, "weak", 2);
  const double update_s = strong["metrics"]["predicted_update_s"];  // a real one, slow under sanitizers
  EXPECT_NEAR(strong["metrics"]["predicted_step_s"].get<double>() - update_s, strong_s, 0.05 * strong_s);
  EXPECT_NEAR(strong["metrics"]["predicted_speedup"].get<double>(), one_s / strong_s, 0.05);
  EXPECT_EQ(strong["key"]["global_batch"], 128);
  EXPECT_EQ(strong["key"]["per_device_batch"], 64);
  EXPECT_EQ(weak["key"]["global_batch"], 256);
  EXPECT_EQ(weak["key"]["per_device_batch"], 128);
  for (const json& row : {strong, weak}) {
    EXPECT_NEAR(row["metrics"]["residual"].get<double>(), 0, 0.15) << row["key"];
    EXPECT_EQ(row["samples_s"].size(), 5u);
    EXPECT_NEAR(row["metrics"]["speedup"].get<double>(), row["metrics"]["predicted_speedup"].get<double>(),
                0.15);
  }
  EXPECT_EQ(strong["metrics"]["binding"], run.record["verdict"]["explanation"]["binding"]);
  EXPECT_NE(run.outcome.out.find("binding term: "), std::string::npos) << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("95 % intervals"), std::string::npos);
}

TEST(ScalingSweep, RecoversPlantedConstantsAndPredictsTheStep) {
  test::retried(kTries, expect_planted_constants_and_steps);
}

TEST(ScalingSweep, SmokeConfigAndTheRoundTripToModel) {
  const test::TempDir dir;
  const std::string path = dir / "sweep.json";
  const test::Outcome sweep = test::run_dpx(
      {"scaling-sweep", "--config", DPX_SOURCE_DIR "/configs/smoke/scaling-sweep.json", "--out", path});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  test::expect_valid_record(path);
  const json record = json::parse(test::read_file(path));
  const json& fit = record["verdict"]["fit"];
  EXPECT_EQ(fit["num_params"], 129068);
  EXPECT_EQ(fit["batch"], 16);
  EXPECT_EQ(record["verdict"]["algorithm"], "star");
  for (const json& row : record["cases"]) EXPECT_EQ(row["status"], "ok") << row;
  // beta may be too high to be seen on a busy machine: then the model says that it needs it
  std::vector<std::string> args{"model", "scaling", "--from", path, "--gpus", "2", "--out", dir / "m.json"};
  if (fit["beta_Bps"].is_null()) args.insert(args.end(), {"--beta", "10GB/s"});
  const test::Outcome model = test::run_dpx(args);
  ASSERT_EQ(model.exit_code, 0) << model.err;
  const json inputs = json::parse(test::read_file(dir / "m.json"))["verdict"]["inputs"];
  EXPECT_EQ(inputs["t0_s"], fit["t0_s"]["value"]);
  EXPECT_EQ(inputs["c_s_per_example"], fit["c_s_per_example"]["value"]);
  EXPECT_EQ(inputs["alpha_s"], fit["alpha_s"]["value"]);
  EXPECT_EQ(inputs["batch"], 16);
  EXPECT_EQ(inputs["gradient_bytes"], 516272);
}

TEST(ScalingSweep, RowsThatDoNotFitCarryTheReason) {
  const RecordedRun run = run_planted(
      "t0=1ms", {"scaling-sweep", "--min-time", "0", "--gpus", "1,2,3,65", "--mode", "both", "--batch", "2",
                 "--shards", "1,2,3", "--iters", "2", "--algo", "halving-doubling"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(step_case(run.record, "strong", 2)["status"], "ok");
  const auto reason = [&](const char* mode, int gpus) {
    const json row = step_case(run.record, mode, gpus);
    EXPECT_EQ(row["status"], "skipped") << row;
    return row["reason"].get<std::string>();
  };
  EXPECT_NE(reason("strong", 3).find("batch 2 is smaller than 3 devices"), std::string::npos);
  EXPECT_NE(reason("weak", 3).find("halving-doubling"), std::string::npos);
  EXPECT_NE(reason("strong", 65).find("batch 2"), std::string::npos);
  EXPECT_NE(run.outcome.out.find("not measured: batch 2 is smaller"), std::string::npos) << run.outcome.out;
}

TEST(ScalingSweep, DevicesThatAreNotThereAreAReasonToo) {
  const RecordedRun run =
      run_planted("t0=1ms", {"scaling-sweep", "--min-time", "0", "--gpus", "1,65", "--mode", "weak",
                             "--batch", "1", "--shards", "1,2,3", "--iters", "2"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(step_case(run.record, "weak", 65)["reason"], "64 devices are here, not more");
  EXPECT_TRUE(run.record["verdict"]["fit"]["alpha_s"].is_null()) << "no allreduce was timed";
  const RecordedRun none =
      run_planted("t0=1ms", {"scaling-sweep", "--min-time", "0", "--gpus", "65", "--batch", "256"});
  EXPECT_EQ(none.outcome.exit_code, 3) << none.outcome.err;
}

TEST(ScalingSweep, WeakTrainingComparesTheScaledRate) {
  const RecordedRun run =
      run_recorded({"scaling-sweep", "--min-time", "0",       "--backend", "cpu",      "--gpus",  "1,2",
                    "--mode",        "weak",       "--batch", "32",        "--shards", "8,16,32", "--bytes",
                    "4K,8K,16K",     "--iters",    "1",       "--epochs",  "1",        "--seeds", "2",
                    "--data",        "synthetic",  "--limit", "320"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  std::vector<json> trainings;
  for (const json& row : run.record["cases"])
    if (row["key"]["kind"] == "training") trainings.push_back(row);
  ASSERT_EQ(trainings.size(), 3u) << "one device at one rate, two at two";
  EXPECT_EQ(trainings[0]["metrics"]["steps_per_epoch"], 10);
  EXPECT_EQ(trainings[1]["metrics"]["steps_per_epoch"], 5);
  EXPECT_EQ(trainings[1]["key"]["lr"], 0.2);
  EXPECT_EQ(trainings[2]["key"]["lr"], 0.4);
  for (const json& row : trainings) EXPECT_EQ(row["metrics"]["test_accuracies"].size(), 2u);
  const json& differences = run.record["verdict"]["weak_training"]["differences"];
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_TRUE(differences[0]["half_width_95"].is_number());
}

TEST(ScalingSweep, CtrlCKeepsTheSamples) {
  const RecordedRun run =
      run_recorded(test::Invocation{.program = DPX_PLANTED_EXECUTABLE,
                                    .args = {"scaling-sweep", "--min-time", "0", "--gpus", "1,2", "--batch",
                                             "4", "--shards", "1,2,3", "--iters", "100000"},
                                    .env = {{"DPX_PLANTED", "t0=5ms"}},
                                    .signal = SIGINT,
                                    .signal_after_text = "samples of every row",
                                    .timeout_s = 60});
  EXPECT_EQ(run.outcome.exit_code, 130) << run.outcome.err;
  EXPECT_EQ(run.record["status"], "interrupted");
  EXPECT_EQ(step_case(run.record, "strong", 2)["status"], "interrupted");
}

TEST(ScalingSweep, BadInput) {
  const auto refused = [](std::vector<std::string> more, int code, std::vector<std::string> parts) {
    more.insert(more.begin(), "scaling-sweep");
    expect_refusal(more, code, parts);
  };
  refused({"--shards", "32"}, 2, {"--shards", "1 different size(s)", "3"});
  refused({"--shards", "32,64,32"}, 2, {"--shards", "2 different size(s)", "3"});
  refused({"--bytes", "4,8"}, 2, {"--bytes", "2 different size(s)"});
  refused({"--bytes", "4,8,13"}, 2, {"--bytes 13", "fp32"});
  refused({"--gpus", "0"}, 2, {"gpus", "0"});
  refused({"--gpus", "4", "--batch", "3", "--mode", "strong"}, 2, {"batch 3", "4"});
  refused({"--gpus", "3", "--algo", "halving-doubling"}, 2, {"halving-doubling", "3"});
  refused({"--min-time", "-1"}, 2, {"min-time", "-1"});
  refused({"--mode", "wek"}, 2, {"mode", "wek", "strong, weak, both"});
  refused({"--algo", "rign"}, 2, {"rign", "ring"});
  refused({"--bucket", "x"}, 2, {"bucket", "x"});
  refused({"--link", "alpha=1ms"}, 2, {"--link", "beta"});
  refused({"--epochs", "1", "--mode", "strong"}, 2, {"--epochs", "weak"});
  refused({"--epochs", "1", "--data", "/no/such/place"}, 5, {"/no/such/place"});
  refused({"--backend", "cuda"}, 3, {"cuda"});
}

}  // namespace
}  // namespace dpx
