// Speedups, limits and break-even points. Test names carry the id of the value.
#include "lib/comm/cost_model/scaling.hpp"

#include <gtest/gtest.h>

namespace dpx {
namespace {

// Exercise 7.2: 11.2 million parameters in fp32.
StepModel exercise(double beta_Bps, double gradient_bytes = 44.8e6) {
  return {2e-3, 0.2e-3, 256, gradient_bytes, {0, beta_Bps}, 1};
}

TEST(CostModelScaling, Ex7_2_At20GBps) {
  const StepModel m = exercise(20e9);
  EXPECT_NEAR(strong_step(m, 1).total_s() * 1e3, 53.2, 1e-9);
  EXPECT_NEAR(strong_speedup(m, 2), 1.783, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 4), 2.930, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 8), 4.318, 5e-4);
  EXPECT_NEAR(strong_limit(m), 8.210, 5e-4);
}

TEST(CostModelScaling, Ex7_2_At5GBps) {
  const StepModel m = exercise(5e9);
  EXPECT_NEAR(strong_speedup(m, 2), 1.455, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 4), 1.884, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 8), 2.209, 5e-4);
  EXPECT_NEAR(strong_limit(m), 2.671, 5e-4);
}

TEST(CostModelScaling, Ex7_2_LeastBandwidth) {
  for (const int k : {2, 3, 8, 1000}) EXPECT_NEAR(*break_even_bandwidth_Bps(exercise(20e9), k), 1.75e9, 1);
  EXPECT_NEAR(strong_speedup(exercise(1.75e9), 2), 1, 1e-12);
}

TEST(CostModelScaling, Ex7_3_Bf16GradientsHelpTheLimitMore) {
  const StepModel m = exercise(5e9, 22.4e6), fp32 = exercise(5e9);
  EXPECT_NEAR(strong_speedup(m, 2), 1.658, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 4), 2.472, 5e-4);
  EXPECT_NEAR(strong_limit(m), 4.854, 5e-4);
  EXPECT_NEAR(strong_speedup(m, 4) / strong_speedup(fp32, 4), 1.312, 5e-4);
  EXPECT_NEAR(strong_limit(m) / strong_limit(fp32), 1.818, 5e-4);
}

TEST(CostModelScaling, Ex7_1_PaysForOneKIffForAll) {
  for (const double beta : {1e9, 1.7e9, 1.8e9, 20e9}) {
    const bool pays = beta > 1.75e9;
    for (int k = 2; k <= 64; ++k) EXPECT_EQ(strong_speedup(exercise(beta), k) > 1, pays) << beta << " " << k;
  }
}

TEST(CostModelScaling, Ex7_1_SpeedupRisesToItsLimit) {
  const StepModel m = exercise(20e9);
  for (int k = 1; k < 4096; k *= 2) {
    EXPECT_LT(strong_speedup(m, k), strong_speedup(m, 2 * k));
    EXPECT_LT(strong_speedup(m, k), strong_limit(m));
  }
  EXPECT_NEAR(strong_speedup(m, 1 << 30), strong_limit(m), 1e-6);
}

TEST(CostModelScaling, WeakSpeedupIsBoundedByKTimesItsEfficiency) {
  const StepModel m = exercise(20e9);
  EXPECT_EQ(weak_speedup(m, 1), 1);
  for (int k = 2; k < 4096; k *= 2) {
    EXPECT_LT(weak_speedup(m, k), k);
    EXPECT_GT(weak_speedup(m, k) / k, weak_efficiency_limit(m));
    EXPECT_GT(weak_speedup(m, k), strong_speedup(m, k));
  }
  EXPECT_NEAR(weak_speedup(m, 1 << 30) / (1 << 30), weak_efficiency_limit(m), 1e-6);
}

TEST(CostModelScaling, BreakEvenIsWhereTheSpeedupCrossesOne) {
  for (const int k : {2, 3, 8}) {
    StepModel m = exercise(20e9);
    m.link.alpha_s = 1e-3;
    m.link.beta_Bps = *break_even_bandwidth_Bps(m, k);
    EXPECT_NEAR(strong_speedup(m, k), 1, 1e-12) << k;
    m.link.beta_Bps = 20e9;
    m.batch = *break_even_batch(m, k);
    EXPECT_NEAR(strong_speedup(m, k), 1, 1e-12) << k;
  }
  StepModel slow = exercise(20e9);
  slow.link.alpha_s = 1;
  EXPECT_FALSE(break_even_bandwidth_Bps(slow, 2));
  slow.c_s_per_example = 0;
  EXPECT_FALSE(break_even_batch(slow, 2));
}

TEST(CostModelScaling, BestWorldSizeIsTheBestOfAll) {
  for (const double alpha : {0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0})
    for (const double beta : {1e9, 5e9, 20e9}) {
      StepModel m = exercise(beta);
      m.link.alpha_s = alpha;
      int best = 1;
      for (int k = 2; k <= 256; ++k)
        if (strong_step(m, k).total_s() < strong_step(m, best).total_s()) best = k;
      EXPECT_EQ(best_world_size(m, 256), best) << alpha << " " << beta;
    }
}

TEST(CostModelScaling, D7_AccumulationPaysTheOffsetPerMicroBatchAndTheAllreduceOnce) {
  StepModel m = exercise(20e9);
  const double once_s = strong_step(m, 2).total_s(), comm_s = strong_step(m, 2).comm.total_s();
  m.accumulate = 4;
  EXPECT_NEAR(strong_step(m, 2).total_s(), once_s + 3 * 2e-3, 1e-12);
  EXPECT_DOUBLE_EQ(strong_step(m, 2).comm.total_s(), comm_s);
}

TEST(CostModelScaling, A13_Ex9_3_StepsPerEpoch) {
  EXPECT_EQ(steps_per_epoch(60000, 256), 235);
  EXPECT_EQ(steps_per_epoch(60000, 512), 118);
  EXPECT_EQ(steps_per_epoch(60000, 1024), 59);
  EXPECT_EQ(60000 - 234 * 256, 96);
}

}  // namespace
}  // namespace dpx
