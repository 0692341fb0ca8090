// dpx model through the executable: every topic gives the sources' numbers. Test names carry the id of the
// value.
#include <gtest/gtest.h>

#include "tests/support/model_answer.hpp"

namespace dpx {
namespace {

using namespace test;
using nlohmann::json;

TEST(Model, D1_LessonTableFromItsConfigs) {
  const json fast = answer(config("lesson/allreduce-nvlink.json"));
  for (const auto& [k, ms] : {std::pair{8, 62.3}, {64, 70.6}, {512, 76.1}, {4096, 112.0}})
    EXPECT_NEAR(number(fast, {{"gpus", k}}, "time_s") * 1e3, ms, 0.05) << k;
  const json slow = answer(config("lesson/allreduce-nic.json"));
  for (const auto& [k, ms] : {std::pair{8, 560.1}, {64, 630.6}, {512, 643.9}, {4096, 680.8}})
    EXPECT_NEAR(number(slow, {{"gpus", k}}, "time_s") * 1e3, ms, 0.05) << k;
  EXPECT_NEAR(slow["verdict"]["growth"]["added_share"].get<double>(), 0.216, 5e-4);
  EXPECT_NEAR(slow["verdict"]["growth"]["latency_share_of_added"].get<double>(), 0.34, 0.005);
  const json small = answer(config("lesson/allreduce-small-message.json"));
  for (const auto& [k, ms] : {std::pair{8, 0.11}, {512, 5.15}, {4096, 40.99}})
    EXPECT_NEAR(number(small, {{"gpus", k}}, "time_s") * 1e3, ms, 0.005) << k;
  EXPECT_NEAR(number(small, {{"gpus", 8}}, "busbw_GBps"), 16.7, 0.05);
  EXPECT_NEAR(number(small, {{"gpus", 4096}}, "busbw_GBps"), 0.049, 5e-4);
}

TEST(Model, D1_LessonTableIsPrinted) {
  const Outcome run = run_dpx(words_of(config("lesson/allreduce-nvlink.json")));
  for (const char* ms : {" 62.3 ", " 70.6 ", " 76.1 ", " 112.0 "})
    EXPECT_NE(run.out.find(ms), std::string::npos) << run.out;
}

TEST(Model, Ex4_3_StarPerTensorAndFlat) {
  const std::string line = "model allreduce --algo star --gpus 2 --alpha 10us --beta 20GB/s ";
  const json tensors = answer(line + "--params 129068 --tensors 8"), flat = answer(line + "--bytes 516272");
  EXPECT_NEAR(number(tensors, {}, "time_s") * 1e6, 211.6, 0.05);
  EXPECT_NEAR(number(tensors, {}, "latency_share"), 0.756, 5e-4);
  EXPECT_NEAR(number(flat, {}, "time_s") * 1e6, 71.6, 0.05);
  EXPECT_NEAR(number(flat, {}, "latency_share"), 0.279, 5e-4);
}

TEST(Model, Ex11_1_StarAndRingUnderBothAssumptions) {
  const std::string line = "model allreduce --gpus 2,4 --beta 20GB/s --bytes 256M --algo star,ring --duplex ";
  for (const auto& [duplex, ratio] : {std::pair{"full", 4.0}, {"bus", 1.0}}) {
    const json record = answer(line + duplex);
    EXPECT_NEAR(number(record, {{"algo", "star"}, {"gpus", 4}}, "time_s") /
                    number(record, {{"algo", "ring"}, {"gpus", 4}}, "time_s"),
                ratio, 1e-9);
  }
}

TEST(Model, A6_B3_BytesOfTheBusiestDevice) {
  const json record = answer("model allreduce --gpus 1,2,3,4 --beta 1GB/s --bytes 1200 --algo star,ring");
  EXPECT_EQ(metrics(record, {{"algo", "star"}, {"gpus", 4}})["busiest_sent_bytes"], 3600);
  EXPECT_EQ(metrics(record, {{"algo", "ring"}, {"gpus", 4}})["busiest_sent_bytes"], 1800);
  EXPECT_EQ(metrics(record, {{"algo", "ring"}, {"gpus", 3}})["busiest_sent_bytes"], 1600);
  EXPECT_TRUE(metrics(record, {{"algo", "ring"}, {"gpus", 1}})["busbw_GBps"].is_null());
}

TEST(Model, RowsThatFitAreKeptAndTheOthersCarryTheReason) {
  const json record = answer("model allreduce --gpus 3,4 --beta 1GB/s --bytes 1M --algo halving-doubling");
  EXPECT_EQ(record["cases"][0]["status"], "skipped");
  EXPECT_NE(record["cases"][0]["reason"].get<std::string>().find("power of two"), std::string::npos);
  EXPECT_EQ(record["cases"][1]["status"], "ok");
  const json scaling = answer("model scaling --bytes 1M --t0 1ms --c 1ms --batch 2 --beta 1GB/s --gpus 2,4");
  EXPECT_EQ(scaling["cases"][0]["status"], "ok");
  EXPECT_EQ(scaling["cases"][1]["status"], "skipped");
}

TEST(Model, D4_TwoLevelIsBelowOneRing) {
  const json record = answer(
      "model allreduce --gpus 64 --alpha 5us --beta 450GB/s --beta-inter 50GB/s --bytes 16GB --algo "
      "ring,two-level");
  EXPECT_LT(number(record, {{"algo", "two-level"}}, "time_s"),
            number(record, {{"algo", "ring"}}, "time_s") / 4);
}

TEST(Model, Ex4_2_Try1_Try2_Crossover) {
  const json chapter = answer("model crossover --gpus 8 --alpha 10us --beta 20GB/s");
  EXPECT_NEAR(number(chapter, {}, "tree_equals_ring_bytes"), 376471, 1);
  EXPECT_NEAR(number(chapter, {}, "time_at_crossover_s") * 1e6, 172.9, 0.05);
  const json lesson = answer(config("lesson/crossover.json"));
  EXPECT_NEAR(number(lesson, {{"gpus", 512}}, "latency_equals_bandwidth_bytes"), 128e6, 1);
  EXPECT_NEAR(number(lesson, {{"gpus", 512}}, "tree_equals_ring_bytes") / 1e6, 15.7, 0.05);
  EXPECT_EQ(number(lesson, {{"gpus", 2}}, "tree_equals_ring_bytes"), 0);
  const Outcome run = run_dpx(words_of("model crossover --gpus 512 --alpha 5us --beta 50GB/s"));
  EXPECT_NE(run.out.find("128 MB"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("15.68 MB"), std::string::npos) << run.out;
}

TEST(Model, Ex7_2_Scaling) {
  const json record = answer(config("smoke/model.json"));
  EXPECT_NEAR(number(record, {{"gpus", 2}}, "speedup"), 1.783, 5e-4);
  EXPECT_NEAR(number(record, {{"gpus", 4}}, "speedup"), 2.930, 5e-4);
  EXPECT_NEAR(record["verdict"]["limit"].get<double>(), 8.210, 5e-4);
  EXPECT_NEAR(record["verdict"]["least_bandwidth_GBps"].get<double>(), 1.75, 1e-9);
  const Outcome run = run_dpx(
      words_of("model scaling --params 11.2e6 --t0 2ms --c 0.2ms --batch 256 --beta 20GB/s --gpus 2,4"));
  for (const char* text : {"1.783", "2.930", "8.210", "1.75 GB/s"})
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
}

TEST(Model, Ex7_2_Ex7_3_At5GBpsInBothTypes) {
  const std::string line = "model scaling --params 11.2e6 --t0 2ms --c 0.2ms --batch 256 --beta 5GB/s ";
  const json fp32 = answer(line + "--gpus 2,4"), bf16 = answer(line + "--gpus 2,4 --grad-dtype bf16");
  EXPECT_NEAR(number(fp32, {{"gpus", 2}}, "speedup"), 1.455, 5e-4);
  EXPECT_NEAR(number(fp32, {{"gpus", 4}}, "speedup"), 1.884, 5e-4);
  EXPECT_NEAR(fp32["verdict"]["limit"].get<double>(), 2.671, 5e-4);
  EXPECT_NEAR(number(bf16, {{"gpus", 2}}, "speedup"), 1.658, 5e-4);
  EXPECT_NEAR(number(bf16, {{"gpus", 4}}, "speedup"), 2.472, 5e-4);
  EXPECT_NEAR(bf16["verdict"]["limit"].get<double>(), 4.854, 5e-4);
}

TEST(Model, Ex9_2_EpochTimesAndBothModes) {
  const json record = answer(
      "model scaling --params 129068 --t0 2ms --c 10us --batch 256 --beta 20GB/s --gpus 1,2,4 --mode both "
      "--examples 60000");
  for (const auto& [k, steps] : {std::pair{1, 235}, {2, 118}, {4, 59}}) {
    const json weak = metrics(record, {{"mode", "weak"}, {"gpus", k}});
    const json strong = metrics(record, {{"mode", "strong"}, {"gpus", k}});
    EXPECT_NEAR(weak["epoch_s"].get<double>() / weak["step_s"].get<double>(), steps, 1e-9);
    EXPECT_NEAR(strong["epoch_s"].get<double>() / strong["step_s"].get<double>(), 235, 1e-9);
    EXPECT_EQ(weak["global_batch"], 256 * k);
    EXPECT_EQ(strong["batch_per_gpu"], 256 / k);
  }
}

TEST(Model, Try3_Overlap) {
  const json record = answer(config("lesson/overlap.json"));
  const auto at = [](int k, double bucket) {
    return json{{"gpus", k}, {"bucket_bytes", std::int64_t(bucket)}};
  };
  EXPECT_EQ(metrics(record, at(8, 25e6))["buckets"], 640);
  EXPECT_NEAR(number(record, at(8, 25e6), "exposed_s") * 1e3, 0.945, 5e-4);
  EXPECT_NEAR(number(record, at(64, 25e6), "exposed_s") * 1e3, 1.61, 0.005);
  EXPECT_NEAR(number(record, at(512, 25e6), "exposed_s") * 1e3, 6.11, 0.005);
  EXPECT_NEAR(number(record, at(4096, 25e6), "exposed_s"), 22.9, 0.05);
  EXPECT_NEAR(number(record, at(4096, 200e6), "exposed_s") * 1e3, 49, 0.5);
  EXPECT_NEAR(number(record, at(64, 1e6), "exposed_s"), 6.7, 0.05);
  for (const auto& [k, best] : {std::pair{64, 5e6}, {512, 25e6}, {4096, 200e6}})
    for (const json& row : record["cases"])
      if (row["key"]["best"] == true && row["key"]["gpus"] == k) {
        EXPECT_EQ(row["key"]["bucket_bytes"], best);
      }
}

}  // namespace
}  // namespace dpx
