// Message sizes at which terms and algorithms change places. Test names carry the id of the value.
#include "lib/comm/cost_model/crossover.hpp"

#include <gtest/gtest.h>

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {
namespace {

constexpr AlphaBeta kChapter{10e-6, 20e9}, kNvlink{5e-6, 450e9}, kNic{5e-6, 50e9};

TEST(CostModelCrossover, Ex4_2_TreeBelowRing) {
  const double size = tree_ring_crossover_bytes(8, kChapter);
  EXPECT_NEAR(size, 376471, 1);
  EXPECT_NEAR(size / 1024, 367.6, 0.05);
  EXPECT_NEAR(tree_time(8, size, kChapter).total_s() * 1e6, 172.9, 0.05);
  EXPECT_NEAR(ring_time(8, size, kChapter).total_s() * 1e6, 172.9, 0.05);
}

TEST(CostModelCrossover, Ex4_2_IsTheCrossingPointWithin8Bytes) {
  const double size = tree_ring_crossover_bytes(8, kChapter);
  EXPECT_LT(tree_time(8, size - 8, kChapter).total_s(), ring_time(8, size - 8, kChapter).total_s());
  EXPECT_GT(tree_time(8, size + 8, kChapter).total_s(), ring_time(8, size + 8, kChapter).total_s());
}

TEST(CostModelCrossover, IsTheCrossingPointAtEveryK) {
  for (int k = 4; k <= 4096; k += k < 70 ? 1 : 251) {
    const double size = tree_ring_crossover_bytes(k, kNic);
    EXPECT_NEAR(tree_time(k, size, kNic).total_s() / ring_time(k, size, kNic).total_s(), 1, 1e-12) << k;
  }
}

TEST(CostModelCrossover, Try1_LatencyEqualsBandwidth) {
  EXPECT_NEAR(latency_equals_bandwidth_bytes(512, kNic), 128e6, 1);
  const CommTime t = ring_time(512, 128e6, kNic);
  EXPECT_NEAR(t.latency_s / t.bandwidth_s, 1, 1e-12);
}

TEST(CostModelCrossover, Try2_TreeBelowRingOnTheLessonsLinks) {
  const std::pair<int, double> rows[] = {{4, 0.20}, {8, 0.47}, {16, 0.90}, {64, 2.84}};
  for (const auto& [k, mb] : rows) EXPECT_NEAR(tree_ring_crossover_bytes(k, kNic) / 1e6, mb, 0.005) << k;
  EXPECT_NEAR(tree_ring_crossover_bytes(512, kNic) / 1e6, 15.7, 0.05);
  EXPECT_NEAR(tree_ring_crossover_bytes(4096, kNic) / 1e6, 92.8, 0.05);
  for (const int k : {4, 64, 512})
    EXPECT_NEAR(tree_ring_crossover_bytes(k, kNvlink) / tree_ring_crossover_bytes(k, kNic), 9, 1e-9);
}

TEST(CostModelCrossover, Try2_NeverForTwoDevices) {
  for (const int k : {1, 2, 3}) EXPECT_EQ(tree_ring_crossover_bytes(k, kNic), 0) << k;
}

}  // namespace
}  // namespace dpx
