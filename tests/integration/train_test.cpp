// dpx train through the executable.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/support/data_files.hpp"
#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using test::RecordedRun;
using test::run_recorded;

std::vector<std::string> small(std::vector<std::string> more) {
  std::vector<std::string> args{"train",   "--backend", "cpu",     "--data", "synthetic",
                                "--limit", "600",       "--batch", "256"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Train, SmokeConfig) {
  const RecordedRun run = run_recorded({"train", "--config", DPX_SOURCE_DIR "/configs/smoke/train.json"});
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(run.record["status"], "ok");
  EXPECT_EQ(run.record["cases"].size(), 2u);
  EXPECT_NE(run.outcome.out.find("sec/epoch on 2 device(s)"), std::string::npos) << run.outcome.out;
}

TEST(Train, SameMinibatchesForEveryK) {
  nlohmann::json first;
  for (const char* gpus : {"1", "2", "3", "7"}) {
    const RecordedRun run = run_recorded(small({"--gpus", gpus, "--epochs", "1"}));
    ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
    const auto& metrics = run.record["cases"][0]["metrics"];
    EXPECT_EQ(metrics["steps"], 3);
    EXPECT_EQ(metrics["examples"], 600);
    const auto& verdict = run.record["verdict"];
    EXPECT_EQ(verdict["eval_count"], 100) << "a sixth, counted once whatever k";
    EXPECT_EQ(verdict["replica_hashes_end"].size(), std::size_t(std::stoi(gpus)));
    for (const auto& hash : verdict["replica_hashes_end"]) EXPECT_EQ(hash, verdict["replica_hashes_end"][0]);
    for (const auto& hash : verdict["replica_hashes_start"])
      EXPECT_EQ(hash, verdict["replica_hashes_start"][0]);
    if (first.is_null()) first = verdict["first_step_loss"];
    EXPECT_EQ(verdict["first_step_loss"], first) << gpus;
    EXPECT_EQ(run.record["environment"]["devices"].size(), std::size_t(std::stoi(gpus)));
    EXPECT_EQ(run.record["environment"]["emulated"], std::string(gpus) != "1");
    EXPECT_EQ(run.record["environment"]["backend"], "cpu");
    EXPECT_EQ(verdict["algorithm"], "star");
  }
}

TEST(Train, ThreadsOfADeviceDoNotChangeTheResult) {
  const auto hash = [](const char* threads) {
    return run_recorded(small({"--gpus", "1", "--epochs", "1", "--threads-per-device", threads}))
        .record["verdict"]["replica_hashes_end"];
  };
  EXPECT_EQ(hash("1"), hash("3"));
}

TEST(Train, FewerExamplesThanABatchAreOneStep) {
  const RecordedRun run = run_recorded(
      {"train", "--data", "synthetic", "--limit", "10", "--gpus", "4", "--batch", "256", "--epochs", "1"});
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(run.record["cases"][0]["metrics"]["steps"], 1);
  EXPECT_EQ(run.record["cases"][0]["metrics"]["examples"], 10);
}

TEST(Train, ResolvedConfigCanBeFedBack) {
  const test::TempDir dir;
  const test::Outcome once = test::run_dpx(
      {"train", "--config", DPX_SOURCE_DIR "/configs/chapter/train-k2.json", "--lr", "0.1", "--dump-config"});
  EXPECT_EQ(once.exit_code, 0) << once.err;
  const test::Outcome twice =
      test::run_dpx({"train", "--config", dir.write("c.json", once.out), "--dump-config"});
  EXPECT_EQ(once.out, twice.out) << twice.err;
  EXPECT_EQ(nlohmann::json::parse(once.out)["lr"], 0.1);
  EXPECT_EQ(nlohmann::json::parse(once.out)["gpus"], 2);
}

TEST(Train, RecordIsAConfigToo) {
  const RecordedRun run = run_recorded(small({"--gpus", "2", "--epochs", "1", "--lr", "0.05"}));
  const test::TempDir dir;
  const test::Outcome dump =
      test::run_dpx({"train", "--config", dir.write("r.json", run.text), "--dump-config"});
  EXPECT_EQ(dump.exit_code, 0) << dump.err;
  nlohmann::json config = nlohmann::json::parse(dump.out);
  config.erase("command");
  EXPECT_EQ(config, run.record["config"]);
}

TEST(Train, DataThatIsNotThePublishedIsToldAndRefusedOnRequest) {  // F081
  const test::TempDir dir;
  test::write_dataset(dir, 20, 20);
  const std::vector<std::string> args{"train", "--data", dir.path(), "--epochs", "1", "--batch", "8"};
  const RecordedRun run = run_recorded(args);
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_NE(run.outcome.err.find(dir.path() + ": not the published Fashion-MNIST"), std::string::npos);
  EXPECT_EQ(run.record["verdict"]["data"]["dataset"], "unknown");
  EXPECT_EQ(run.record["verdict"]["data"]["files"].size(), 4u);
  std::vector<std::string> strict = args;
  strict.push_back("--require-known-data");
  test::expect_refusal(strict, 5, {dir.path(), "--require-known-data"});
}

TEST(Train, SaysWhenTheModelDidNotLearn) {
  const RecordedRun run = run_recorded(small({"--epochs", "1", "--lr", "1e-6"}));
  EXPECT_EQ(run.outcome.exit_code, 0);
  EXPECT_EQ(run.record["verdict"]["learned"], false);
  EXPECT_NE(run.outcome.out.find("did not learn"), std::string::npos);
}

TEST(Train, DivergenceIsAFailedCheckAndNoNaNIsWritten) {
  const RecordedRun run = run_recorded(small({"--epochs", "3", "--lr", "1e6"}));
  EXPECT_EQ(run.outcome.exit_code, 4) << run.outcome.err;
  EXPECT_EQ(run.record["status"], "failed");
  EXPECT_EQ(run.text.find("nan"), std::string::npos);
  EXPECT_TRUE(run.record["cases"].back()["metrics"]["loss"].is_null());
  EXPECT_EQ(run.record["cases"].back()["status"], "failed");
}

TEST(Train, InterruptedRunsLeaveAValidRecord) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    const RecordedRun run = run_recorded(test::Invocation{
        .program = DPX_EXECUTABLE,
        .args = {"train", "--data", "synthetic", "--epochs", "1000", "--limit", "640", "--batch", "64"},
        .signal = signal,
        .signal_after_text = "\n    2 ",
        .timeout_s = 120});
    EXPECT_EQ(run.outcome.exit_code, code) << run.outcome.err;
    ASSERT_FALSE(run.record.is_null());
    EXPECT_EQ(run.record["status"], "interrupted");
    EXPECT_GE(run.record["cases"].size(), 2u);
    EXPECT_EQ(run.record["cases"][0]["status"], "ok");
  }
}

TEST(Train, LocaleDoesNotMatter) {
  const RecordedRun plain = run_recorded(small({"--epochs", "1", "--lr", "0.2"}));
  const RecordedRun german = run_recorded(test::Invocation{.program = DPX_EXECUTABLE,
                                                           .args = small({"--epochs", "1", "--lr", "0.2"}),
                                                           .env = {{"LC_ALL", "de_DE.UTF-8"}},
                                                           .timeout_s = 120});
  EXPECT_EQ(german.record["config"], plain.record["config"]);
  EXPECT_EQ(german.record["verdict"]["first_step_loss"], plain.record["verdict"]["first_step_loss"]);
}

TEST(Train, NothingOfTheProgressBarInAPipe) {
  const test::Outcome r = test::run_dpx(small({"--epochs", "1", "--out", "none"}));
  EXPECT_EQ(r.err.find('\r'), std::string::npos);
  EXPECT_EQ(r.err.find("epoch 1/1"), std::string::npos);
  EXPECT_EQ(r.out.find('\r'), std::string::npos);
}

TEST(Train, RecordOnStdoutSendsTheTableToStderr) {
  const test::Outcome r = test::run_dpx(small({"--epochs", "1", "--out", "-"}));
  EXPECT_EQ(nlohmann::json::parse(r.out)["command"], "train");
  EXPECT_NE(r.err.find("sec/epoch"), std::string::npos);
}

TEST(Train, OutputsThatCannotBeWritten) {
  const test::TempDir dir;
  const std::string taken = dir.write("taken.json", "precious");
  test::expect_refusal(small({"--epochs", "1", "--out", taken}), 2, {taken, "--force"});
  EXPECT_EQ(test::read_file(taken), "precious");
  test::expect_refusal(small({"--out", dir / "no/such/r.json"}), 6, {"no/such"});
  test::expect_refusal(small({"--out", dir.path()}), 6, {"directory"});
  test::expect_refusal(small({"--epochs", "1", "--out", "/dev/full"}), 6, {"/dev/full", "No space left"});
  EXPECT_EQ(test::run_dpx(small({"--epochs", "1", "--out", taken, "--force"})).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(test::read_file(taken))["status"], "ok");
  const test::Outcome full = test::run_process({.program = DPX_EXECUTABLE,
                                                .args = small({"--epochs", "1", "--out", "none"}),
                                                .stdout_path = "/dev/full"});
  EXPECT_EQ(full.exit_code, 6) << full.err;
}

}  // namespace
}  // namespace dpx
