// Steps of any algorithm and number of buffers.
#include "lib/comm/cost_model/step_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/comm/cost_model/scaling.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {
namespace {

TEST(AllreduceTerms, GiveTheClosedForms) {
  const AlphaBeta link{7e-6, 3e9};
  for (const std::string& name : schedule_names())
    for (const int k : {1, 2, 4, 8})
      for (const Wiring wiring : {Wiring::full_duplex, Wiring::bus}) {
        const CommTime expected = allreduce_time(name, k, 1e6, link, wiring);
        const CommTime one = allreduce_terms(name, k, 1e6, 1, wiring).time(link);
        EXPECT_DOUBLE_EQ(one.latency_s, expected.latency_s) << name << k;
        EXPECT_DOUBLE_EQ(one.bandwidth_s, expected.bandwidth_s) << name << k;
        const CommTime eight = allreduce_terms(name, k, 1e6, 8, wiring).time(link);
        EXPECT_DOUBLE_EQ(eight.latency_s, 8 * expected.latency_s);
        EXPECT_DOUBLE_EQ(eight.bandwidth_s, expected.bandwidth_s);
      }
}

// With the ring of one buffer it answers as the chapter's model does.
TEST(StepCostModel, AgreesWithTheRingOfOneBuffer) {
  const StepModel chapter{2e-3, 0.2e-3, 256, 44.8e6, {20e-6, 5e9}, 1};
  const StepCost cost{2e-3, 0.2e-3, 44.8e6, 1, "ring", Wiring::full_duplex, chapter.link};
  for (const int k : {2, 4, 8}) {
    EXPECT_NEAR(cost.step_s(k, 256.0 / k), strong_step(chapter, k).total_s(), 1e-12);
    EXPECT_NEAR(*break_even_bandwidth_Bps(cost, k, 256), *break_even_bandwidth_Bps(chapter, k), 1);
    EXPECT_NEAR(*break_even_batch(cost, k), *break_even_batch(chapter, k), 1e-9);
  }
  const int best = best_world_size(cost, 256, 256);
  for (int k = 1; k <= 256; ++k)
    EXPECT_LE(cost.step_s(best, std::ceil(256.0 / best)), cost.step_s(k, std::ceil(256.0 / k))) << k;
}

TEST(StepCostModel, Ex4_3_FusingEightBuffers) {
  const StepCost cost{0, 1e-4, 516272, 8, "star", Wiring::full_duplex, {10e-6, 20e9}};
  EXPECT_NEAR(fusion(cost, 2).apart_s, 211.6e-6, 0.05e-6);
  EXPECT_NEAR(fusion(cost, 2).fused_s, 71.6e-6, 0.05e-6);
  EXPECT_NEAR(fusion(cost, 2).ratio(), 2.95, 5e-3);
}

TEST(StepCostModel, PassesOverWorldSizesThatTheAlgorithmHasNot) {
  const StepCost cost{0, 1e-3, 1000, 1, "halving-doubling", Wiring::full_duplex, {1e-3, 1e9}};
  const int best = best_world_size(cost, 100, 100);
  EXPECT_EQ(best & (best - 1), 0) << best;
  EXPECT_GT(best, 1);
}

}  // namespace
}  // namespace dpx
