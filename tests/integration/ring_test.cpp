// dpx ring through the executable: the figure, counts, simulated times, checks on devices, refusals.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/run_record.hpp"
#include "tests/support/temp_dir.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::expect_refusal;
using test::RecordedRun;
using test::run_recorded;

RecordedRun run_ring(std::vector<std::string> args) {
  args.insert(args.begin(), "ring");
  RecordedRun run = run_recorded(args);
  EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.err << run.outcome.out;
  return run;
}

json part(const RecordedRun& run, const std::string& name, const std::string& algorithm = "") {
  for (const json& row : run.record["cases"])
    if (row["key"]["part"] == name && (algorithm.empty() || row["key"]["algo"] == algorithm))
      return row["metrics"];
  ADD_FAILURE() << "no case " << name << " " << algorithm;
  return {};
}

TEST(Ring, TheChaptersFigure) {
  const RecordedRun run = run_ring({"--config", DPX_SOURCE_DIR "/configs/chapter/ring-k4.json"});
  EXPECT_NE(run.outcome.out.find("RS3    4 3 2 1    1 4 3 2    2 1 4 3    3 2 1 4"), std::string::npos)
      << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("#wrong 0"), std::string::npos);
  const json& trace = run.record["verdict"]["trace"];
  EXPECT_EQ(trace["steps"].size(), 7u);
  EXPECT_EQ(trace["owners"], json({0, 1, 2, 3}));
  EXPECT_EQ(trace["steps"][6]["contributions"], json(std::vector<std::vector<int>>(4, {4, 4, 4, 4})));
  const json first = trace["steps"][1]["transfers"][0];
  EXPECT_EQ(first, json({{"src", 3},
                         {"dst", 0},
                         {"first_chunk", 2},
                         {"num_chunks", 1},
                         {"op", "accumulate"},
                         {"bytes", 16}}));
  EXPECT_EQ(part(run, "devices")["wrong"], 0);
}

TEST(Ring, ChunksNeedNotDivide) {  // F017
  const RecordedRun four = run_ring({"--gpus", "4", "--elements", "10"});
  EXPECT_EQ(four.record["verdict"]["trace"]["chunk_elements"], json({3, 3, 2, 2}));
  EXPECT_EQ(part(four, "traffic")["all_links_bytes"], 240);
  EXPECT_EQ(part(four, "traffic")["steps"], 6);
  EXPECT_NE(four.outcome.out.find("[3,3,2,2]"), std::string::npos);
  const RecordedRun three = run_ring({"--gpus", "3", "--elements", "7"});
  EXPECT_EQ(three.record["verdict"]["trace"]["chunk_elements"], json({3, 2, 2}));
  EXPECT_EQ(part(three, "traffic")["all_links_bytes"], 112);
  EXPECT_EQ(part(three, "traffic")["steps"], 4);
}

TEST(Ring, BytesPerDeviceAreTheClosedForms) {  // F024
  for (const auto& [gpus, bytes] : {std::pair{"2", 268'435'456}, {"4", 402'653'184}}) {
    const RecordedRun run =
        run_ring({"--gpus", gpus, "--bytes", "256M", "--simulate", "alpha=0s,beta=5GB/s"});
    const json metrics = part(run, "traffic");
    EXPECT_EQ(metrics["busiest_sent_bytes"], bytes);
    EXPECT_EQ(metrics["busiest_sent_formula_bytes"], bytes);
    for (const json& sent : metrics["sent_bytes"]) EXPECT_EQ(sent, bytes);
    EXPECT_NE(run.outcome.out.find("no real run"), std::string::npos);
    EXPECT_EQ(run.record["config"]["elements"], 67'108'864);
  }
}

TEST(Ring, EveryAlgorithmRunsOnDevices) {
  for (const char* algorithm :
       {"star", "ring", "tree", "halving-doubling", "direct", "parameter-server", "parameter-server:2"}) {
    const RecordedRun run =
        run_ring({"--algo", algorithm, "--gpus", "4", "--elements", "1001", "--backend", "cpu"});
    EXPECT_EQ(part(run, "devices")["wrong"], 0) << algorithm;
    EXPECT_EQ(run.record["environment"]["backend"], "cpu");
    for (const json& check : run.record["checks"]) EXPECT_EQ(check["passed"], true) << check;
  }
}

TEST(Ring, SimulatedTimesBesideTheFormulas) {
  const RecordedRun run = run_ring({"--gpus", "8", "--bytes", "16GB", "--simulate", "alpha=5us,beta=50GB/s"});
  EXPECT_NEAR(part(run, "simulated", "ring")["time_s"].get<double>(), 0.56007, 1e-5);
  EXPECT_NEAR(part(run, "simulated", "star")["time_s"].get<double>(), 14 * (5e-6 + 0.32), 1e-9);
  EXPECT_NEAR(part(run, "simulated", "tree")["time_s"].get<double>(), 6 * (5e-6 + 0.32), 1e-9);
  EXPECT_EQ(part(run, "simulated", "ring")["simulated"], true);
  int compared = 0;
  for (const json& check : run.record["checks"])
    compared += check["name"].get<std::string>().starts_with("simulated time");
  EXPECT_EQ(compared, 3);
}

TEST(Ring, FourThousandRanks) {
  const bool plain =
      std::string(DPX_SANITIZE).empty();  // a sanitizer would take a minute, and sees it all at 512
  const RecordedRun run =
      run_ring({"--gpus", plain ? "4096" : "512", "--bytes", "16GB", "--simulate", "alpha=5us,beta=450GB/s"});
  const json metrics = part(run, "simulated", "ring");
  EXPECT_NEAR(metrics["time_s"].get<double>(), plain ? 112.0e-3 : 76.1e-3, 0.05e-3);
  EXPECT_NEAR(metrics["latency_s"].get<double>(), plain ? 40.95e-3 : 5.11e-3, 1e-8);
  EXPECT_NE(run.outcome.out.find(plain ? "112.0 ms" : "76.08 ms"), std::string::npos) << run.outcome.out;
  if (plain) {
    rusage children{};
    getrusage(RUSAGE_CHILDREN, &children);
    EXPECT_LT(children.ru_maxrss, 200 * 1024) << "KiB";
  }
}

TEST(Ring, OneDeviceCommunicatesNothing) {  // F029, F019
  const RecordedRun run =
      run_ring({"--gpus", "1", "--elements", "1000003", "--simulate", "alpha=5us,beta=5GB/s"});
  const json metrics = part(run, "simulated", "ring");
  for (const char* name : {"time_s", "algbw_GBps", "busbw_GBps", "effective_GBps"})
    EXPECT_TRUE(metrics[name].is_null()) << name;
  EXPECT_NE(run.outcome.out.find("n/a"), std::string::npos);
  EXPECT_EQ(part(run, "devices")["wrong"], 0);
  EXPECT_EQ(part(run, "traffic")["all_links_bytes"], 0);
}

TEST(Ring, WhatIsTooLargeIsLeftOutAndSaidSo) {
  const RecordedRun run = run_ring({"--gpus", "17"});
  EXPECT_NE(run.outcome.out.find("table is left out"), std::string::npos) << run.outcome.out;
  EXPECT_NE(run.outcome.out.find("no real run"), std::string::npos);
  EXPECT_FALSE(run.record["verdict"].contains("trace"));
  EXPECT_EQ(part(run, "traffic")["sent_bytes"].size(), 17u);
}

TEST(Ring, FewerElementsThanDevices) {
  EXPECT_EQ(part(run_ring({"--gpus", "8", "--elements", "3"}), "devices")["wrong"], 0);
}

TEST(Ring, ResolvedConfigCanBeFedBack) {
  const test::TempDir dir;
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--bytes", "64K"}, {"--elements", "10", "--simulate", "beta=1GB/s"}, {}}) {
    const RecordedRun once = run_ring(args);
    const std::string config = dir.write("ring.json", once.record["config"].dump());
    const RecordedRun twice = run_ring({"--config", config});
    EXPECT_EQ(once.record["config"], twice.record["config"]);
    EXPECT_EQ(once.record["cases"], twice.record["cases"]);
  }
}

TEST(Ring, Smoke) {
  run_ring({"--config", DPX_SOURCE_DIR "/configs/smoke/ring.json"});
}

TEST(Ring, Refusals) {
  expect_refusal({"ring", "--elements", "0"}, 2, {"--elements", "0", "size must be at least 1 element"});
  expect_refusal({"ring", "--elements", "-1"}, 2, {"--elements", "-1"});
  expect_refusal({"ring", "--bytes", "0"}, 2, {"--bytes", "at least 1 element"});
  for (const char* bytes : {"-1", "0x10", "1e99", "17179869185G", "256 M", "3"})
    expect_refusal({"ring", "--bytes", bytes}, 2, {"--bytes", bytes});
  expect_refusal({"ring", "--bytes", "64", "--elements", "10"}, 2, {"--bytes 64", "--elements 10"});
  expect_refusal({"ring", "--algo", "rign"}, 2, {"rign", "ring", "star", "direct"});
  expect_refusal({"ring", "--algo", "halving-doubling", "--gpus", "6"}, 2,
                 {"halving-doubling", "6", "power of two"});
  expect_refusal({"ring", "--algo", "parameter-server:5"}, 2, {"parameter-server:5", "1 to 4"});
  expect_refusal({"ring", "--gpus", "0"}, 2, {"--gpus", "0"});
  expect_refusal({"ring", "--simulate", "alpha=5us"}, 2, {"--simulate", "beta"});
  expect_refusal({"ring", "--simulate", "alpha=5us,beta=0GB/s"}, 2, {"--simulate", "beta", "0GB/s"});
  expect_refusal({"ring", "--simulate", "alpha=5us,beta=1GB/s,gamma=1"}, 2, {"gamma", "alpha", "duplex"});
  expect_refusal({"ring", "--backend", "cuda"}, 3, {"cuda"});
}

}  // namespace
}  // namespace dpx
