// explain names what binds a step, and its numbers are the cost model's.
#include "lib/explain/explain.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace dpx {
namespace {

/// 2 devices, batch 256: 20 ms of computing on one, halved; nothing lost.
StepFacts perfect() {
  StepFacts f;
  f.gpus = 2;
  f.batch = 256;
  f.step.compute_s = 10e-3;
  f.one = StepParts{};
  f.one->compute_s = 20e-3;
  f.rank_compute_s = {10e-3, 10e-3};
  StepCost cost;
  cost.algo = "star";
  cost.gradient_bytes = 516272;
  cost.per_example_s = 20e-3 / 256;
  cost.link = {10e-6, 20e9};
  f.algorithm = cost;
  f.has_link = f.has_compute = true;
  return f;
}

const Change* change(const Explanation& e, const std::string& key) {
  for (const Change& c : e.changes)
    if (c.key == key) return &c;
  return nullptr;
}

struct Planted {
  const char* name;
  Binding binding;
  std::function<void(StepFacts&)> plant;
};

TEST(Explain, NamesThePlantedTerm) {
  const Planted all[] = {
      {"nothing", Binding::pays, [](StepFacts&) {}},
      {"a little", Binding::pays, [](StepFacts& f) { f.step.allreduce_s = 2e-3; }},
      {"t0", Binding::compute, [](StepFacts& f) { f.step.compute_s = 18e-3; }},
      {"launch", Binding::compute, [](StepFacts& f) { f.step.launch_s = 9e-3; }},
      {"starts", Binding::latency,
       [](StepFacts& f) {
         f.step.allreduce_s = 12e-3;
         f.algorithm->link = {5e-3, 1e9};
       }},
      {"bytes", Binding::bandwidth,
       [](StepFacts& f) {
         f.step.allreduce_s = 12e-3;
         f.algorithm->link = {1e-6, 80e6};
       }},
      {"data", Binding::data,
       [](StepFacts& f) {
         f.step.data_s = 12e-3;
         f.one->data_s = 12e-3;
       }},
      {"straggler", Binding::straggler, [](StepFacts& f) { f.step.straggler_s = 8e-3; }},
      {"unknown link", Binding::communication,
       [](StepFacts& f) {
         f.step.allreduce_s = 12e-3;
         f.has_link = false;
       }},
  };
  for (const Planted& planted : all) {
    StepFacts f = perfect();
    planted.plant(f);
    const Explanation e = explain(f);
    EXPECT_EQ(e.binding, planted.binding) << planted.name << ": " << name_of(e.binding) << ", " << e.headline;
    double lost_s = 0;
    for (const Loss& loss : e.losses) lost_s += loss.lost_s;
    EXPECT_NEAR(lost_s, f.step.total_s() - f.one->total_s() / 2, 1e-12) << "losses explain the whole step";
    EXPECT_NEAR(*e.efficiency, f.one->total_s() / f.step.total_s() / 2, 1e-12);
    EXPECT_FALSE(e.headline.empty());
  }
}

TEST(Explain, DataThatShrinkIsNoLoss) {
  StepFacts f = perfect();
  f.step.data_s = 30e-3;
  f.one->data_s = 60e-3;
  EXPECT_EQ(explain(f).binding, Binding::pays);
}

TEST(Explain, WeakScalingComparesWithTheSameShard) {
  StepFacts f = perfect();
  f.weak = true;
  f.batch = 512;
  f.one->compute_s = 10e-3;
  EXPECT_NEAR(*explain(f).speedup, 2, 1e-12);
  f.step.allreduce_s = 10e-3;
  const Explanation e = explain(f);
  EXPECT_NEAR(*e.speedup, 1, 1e-12);
  EXPECT_EQ(e.binding, Binding::bandwidth)
      << "20 us of starts beside 51.6 us of bytes: " << name_of(e.binding);
}

// Chapter, exercise 4.3: eight buffers 211.6 us, one 71.6 us.
TEST(Explain, Ex4_3_OneBufferInsteadOfEight) {
  StepFacts f = perfect();
  f.algorithm->runs = 8;
  const Explanation e = explain(f);
  const Change* fused = change(e, "fused_allreduce_s");
  ASSERT_NE(fused, nullptr);
  EXPECT_NEAR(*fused->value, 71.6e-6, 0.05e-6);
  EXPECT_NE(fused->text.find("2.95x less"), std::string::npos) << fused->text;
  EXPECT_NE(fused->text.find("212 us"), std::string::npos) << fused->text;
}

// Chapter, exercise 7.2: 1.75 GB/s, whatever k.
TEST(Explain, Ex7_2_BreakEvenBandwidthAndBatch) {
  StepFacts f = perfect();
  f.algorithm->algo = "ring";
  f.algorithm->gradient_bytes = 44.8e6;
  f.algorithm->fixed_s = 2e-3;
  f.algorithm->per_example_s = 0.2e-3;
  f.algorithm->link = {0, 20e9};
  for (const int k : {2, 4}) {
    f.gpus = k;
    const Explanation e = explain(f);
    EXPECT_NEAR(*change(e, "break_even_bandwidth_Bps")->value, 1.75e9, 1);
    EXPECT_NEAR(*change(e, "break_even_batch")->value, 256 * 1.75 / 20, 1e-6);
    EXPECT_EQ(*change(e, "break_even_width")->value, 1);
    EXPECT_EQ(*change(e, "best_gpus")->value, 256) << "without latency, as many as there are examples";
  }
  f.algorithm->link = {0, 1.7e9};
  EXPECT_EQ(*change(explain(f), "best_gpus")->value, 1);
}

TEST(Explain, NoBandwidthSufficesWhenStartsCostMoreThanComputingShrinks) {
  StepFacts f = perfect();
  f.algorithm->link.alpha_s = 6e-3;  // 2 starts of 6 ms against 10 ms
  const Explanation e = explain(f);
  const Change* least = change(e, "break_even_bandwidth_Bps");
  EXPECT_FALSE(least->value.has_value());
  EXPECT_NE(least->text.find("no bandwidth"), std::string::npos);
}

TEST(Explain, NamesTheSlowRankOrSaysThatItIsNoise) {
  StepFacts f = perfect();
  f.step.straggler_s = 8e-3;
  f.rank_compute_s = {10e-3, 18e-3};
  EXPECT_NE(change(explain(f), "step_s_with_equal_ranks")->text.find("rank 1 computes 18.0 ms"),
            std::string::npos);
  f.rank_compute_s = {10e-3, 10.1e-3};
  EXPECT_NE(change(explain(f), "step_s_with_equal_ranks")->text.find("noise"), std::string::npos);
}

TEST(Explain, DevicesThatSlowOneAnotherAreSeenBesideTheFit) {
  StepFacts f = perfect();
  EXPECT_EQ(change(explain(f), "compute_s_of_one_device_alone"), nullptr);
  f.step.compute_s = 16e-3;
  const Explanation e = explain(f);
  EXPECT_EQ(e.binding, Binding::compute);
  EXPECT_NEAR(*change(e, "compute_s_of_one_device_alone")->value, 10e-3, 1e-9);
}

TEST(Explain, SaysWhatItCannotTell) {
  StepFacts f = perfect();
  f.one.reset();
  f.has_compute = false;
  const Explanation quiet = explain(f);
  EXPECT_EQ(quiet.binding, Binding::unknown);
  EXPECT_FALSE(quiet.speedup.has_value());
  ASSERT_EQ(quiet.cannot_tell.size(), 2u);
  EXPECT_NE(quiet.cannot_tell[0].find("whether computing shrank"), std::string::npos);
  EXPECT_NE(quiet.cannot_tell[1].find("break-even"), std::string::npos);
  f.step.straggler_s = 10e-3;
  EXPECT_EQ(explain(f).binding, Binding::straggler) << "half of the step is certainly lost";
  f.gpus = 1;
  EXPECT_NE(explain(f).headline.find("one device"), std::string::npos);
  EXPECT_EQ(explain(f).binding, Binding::unknown);
  EXPECT_EQ(explain(StepFacts{}).binding, Binding::unknown);
}

}  // namespace
}  // namespace dpx
