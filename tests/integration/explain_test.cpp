// dpx explain through the executable: planted cases are named, and what it cannot read is refused.
#include <gtest/gtest.h>

#include "tests/support/planted.hpp"
#include "tests/support/retried.hpp"
#include "tests/support/temp_dir.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::expect_refusal;
using test::RecordedRun;
using test::run_dpx;
using test::run_planted;
using test::step_case;

constexpr int kTries = 6;

struct PlantedCase {
  const char *binding, *times;
  std::vector<std::string> more;
};

void expect_named(const PlantedCase& planted) {
  const test::TempDir dir;
  std::vector<std::string> args{"scaling-sweep", "--gpus",   "1,2",      "--mode",     "strong",
                                "--batch",       "64",       "--shards", "8,16,32",    "--bytes",
                                "4K,64K,256K",   "--bucket", "flat",     "--min-time", "0",
                                "--iters",       "3"};
  args.insert(args.end(), planted.more.begin(), planted.more.end());
  const RecordedRun run = run_planted(planted.times, args);
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(step_case(run.record, "strong", 2)["metrics"]["binding"], planted.binding) << run.outcome.out;
  const test::Outcome again = run_dpx({"explain", dir.write("sweep.json", run.text)});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find(std::string("binding term: ") + planted.binding), std::string::npos) << again.out;
  EXPECT_NE(run.outcome.out.find(again.out), std::string::npos)
      << "explain says what the sweep said: " << again.out;
}

TEST(Explain, NamesTheTermInSixPlantedSweeps) {
  const PlantedCase all[] = {
      {"pays", "c=1ms", {}},
      {"compute does not shrink", "t0=30ms,c=0.06ms", {}},
      {"latency", "c=0.3ms", {"--link", "alpha=8ms,beta=10GB/s"}},
      {"bandwidth", "c=0.3ms", {"--link", "alpha=10us,beta=60MB/s"}},
      {"data", "c=0.3ms,load=25ms", {}},
      {"straggler", "c=0.5ms,slow=2", {}},
  };
  for (const PlantedCase& planted : all) {
    SCOPED_TRACE(planted.binding);
    test::retried(kTries, [&] { expect_named(planted); });
  }
}

void expect_a_sweep_tells_what_train_cannot() {
  const test::TempDir dir;
  const std::vector<std::string> steps{"--gpus", "2", "--batch", "64", "--bucket", "flat"};
  std::vector<std::string> args{"train", "--data", "synthetic", "--limit", "128", "--epochs", "2"};
  args.insert(args.end(), steps.begin(), steps.end());
  const RecordedRun train = run_planted("t0=25ms,c=0.1ms", args);
  const json& explanation = train.record["verdict"]["explanation"];
  EXPECT_EQ(explanation["binding"], "cannot tell") << train.outcome.out;
  EXPECT_NE(train.outcome.out.find("cannot tell: whether computing shrank"), std::string::npos);
  const json& metrics = train.record["cases"][1]["metrics"];
  EXPECT_EQ(metrics["rank_forward_backward_s"].size(), 2u);
  EXPECT_LE(metrics["straggler_s"].get<double>(), metrics["allreduce_s"].get<double>());

  const RecordedRun sweep =
      run_planted("t0=25ms,c=0.1ms", {"scaling-sweep", "--gpus", "1,2", "--mode", "strong", "--batch", "64",
                                      "--shards", "8,16,32", "--bytes", "4K,64K,256K", "--bucket", "flat",
                                      "--min-time", "0", "--iters", "3"});
  const std::string train_path = dir.write("train.json", train.text);
  const test::Outcome told = run_dpx({"explain", train_path, "--from", dir.write("sweep.json", sweep.text)});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.out.find("binding term: compute does not shrink"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("one device as predicted"), std::string::npos) << told.out;
}

TEST(Explain, TrainSaysWhatItCannotTellAndASweepTellsIt) {
  test::retried(kTries, expect_a_sweep_tells_what_train_cannot);
}

void expect_alpha_and_beta_of_the_link() {
  const RecordedRun run =
      run_planted("c=0.1ms", {"train", "--data", "synthetic", "--limit", "128", "--epochs", "2", "--gpus",
                              "2", "--batch", "64", "--bucket", "tensor", "--link", "alpha=2ms,beta=10GB/s"});
  EXPECT_EQ(run.record["verdict"]["explanation"]["binding"], "latency") << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("one buffer instead of 8: allreduce 4.10 ms instead of 32.1 ms"),
            std::string::npos)
      << run.outcome.out;
}

TEST(Explain, TrainOverAnEmulatedLinkKnowsAlphaAndBeta) {
  test::retried(kTries, expect_alpha_and_beta_of_the_link);
}

void expect_the_straggler() {
  const RecordedRun run = run_planted("c=0.5ms,slow=3", {"train", "--data", "synthetic", "--limit", "128",
                                                         "--epochs", "2", "--gpus", "2", "--batch", "64"});
  EXPECT_EQ(run.record["verdict"]["explanation"]["binding"], "straggler") << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("rank 1 computes "), std::string::npos) << run.outcome.out;
}

TEST(Explain, StragglersOfATrainingAreNamed) {
  test::retried(kTries, expect_the_straggler);
}

TEST(Explain, OneDeviceAndARecordOfItsOwn) {
  const RecordedRun run = run_planted(
      "t0=5ms", {"train", "--data", "synthetic", "--limit", "64", "--epochs", "1", "--batch", "64"});
  EXPECT_NE(run.outcome.out.find("one device: nothing is exchanged"), std::string::npos) << run.outcome.out;
  const test::TempDir dir;
  const std::string out = dir / "explained.json";
  const test::Outcome r = run_dpx({"explain", dir.write("train.json", run.text), "--out", out});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  test::expect_valid_record(out);
  const json record = json::parse(test::read_file(out));
  EXPECT_EQ(record["cases"][0]["metrics"]["binding"], "cannot tell");
}

TEST(Explain, Refusals) {
  const test::TempDir dir;
  expect_refusal({"explain"}, 2, {"RECORD"});
  expect_refusal({"explain", dir / "missing.json"}, 2, {"missing.json", "cannot be read"});
  expect_refusal({"explain", dir.path()}, 2, {"directory"});
  const std::pair<const char*, std::vector<std::string>> all[] = {
      {"{", {"no JSON"}},
      {R"({"a": 1})", {"no record of dpx"}},
      {R"({"schema": "2.0", "command": "train"})", {"schema 2.0", "1.x"}},
      {R"({"schema": "1.0", "command": "parity"})", {"record of \"parity\"", "train and scaling-sweep"}},
      {R"({"schema": "1.0", "command": "train"})", {"config is missing"}},
      {R"({"schema": "1.0", "command": "train", "config": {"gpus": 0}, "verdict": {}})",
       {"config.gpus is 0", "whole number"}},
      {R"({"schema": "1.0", "command": "train", "config": {"gpus": 2, "width": 1, "batch": 4}, "verdict": {},
           "cases": []})",
       {"no whole epoch"}},
      {R"({"schema": "1.0", "command": "train", "config": {"gpus": 2, "width": 1, "batch": 4}, "verdict": {},
           "cases": [{"status": "ok", "metrics": {"steps": 1}}]})",
       {"metrics.data_s is missing"}},
      {R"({"schema": "1.0", "command": "scaling-sweep", "verdict": {}})", {"verdict.fit is missing"}},
      {R"({"schema": "1.0", "command": "scaling-sweep", "verdict": {"fit": {}}, "cases": []})",
       {"no measured step"}},
      {R"({"schema": "1.0", "command": "scaling-sweep", "verdict": {"fit": {}}, "cases": [3]})",
       {"cases[0] is no object"}},
  };
  for (const auto& [text, parts] : all) expect_refusal({"explain", dir.write("r.json", text)}, 2, parts);
  expect_refusal({"explain", dir.write("r.json", "{}"), "--from", dir / "no.json"}, 2, {"no record"});
}

}  // namespace
}  // namespace dpx
