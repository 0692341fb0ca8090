// Pipeline, batch normalization, widths, memory, bandwidth conventions and shard weights. Test names carry
// the id of the value.
#include <gtest/gtest.h>

#include "lib/comm/cost_model/bandwidth.hpp"
#include "lib/comm/cost_model/batch_norm.hpp"
#include "lib/comm/cost_model/compute_rate.hpp"
#include "lib/comm/cost_model/memory.hpp"
#include "lib/comm/cost_model/pipeline.hpp"
#include "lib/comm/cost_model/shard_weights.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {
namespace {

constexpr LayerStack kStack{32, 4096, 256, 4};
constexpr double kMiB = 1 << 20;

TEST(CostModelPipeline, Ex1_1_Bytes) {
  EXPECT_EQ(stack_gradient_bytes(kStack), 2147483648.0);
  EXPECT_EQ(stack_gradient_bytes(kStack) / 4, 536870912.0);
  EXPECT_EQ(data_parallel_crossing_bytes(kStack), 4096 * kMiB);
  EXPECT_EQ(pipeline_crossing_bytes(kStack), 8 * kMiB);
  EXPECT_EQ(data_parallel_crossing_bytes(kStack) / pipeline_crossing_bytes(kStack), 512);
  EXPECT_EQ(data_parallel_wins_above_batch(kStack), 131072);
}

TEST(CostModelPipeline, Ex1_1_BreakEvenBatchMovesEqualBytes) {
  LayerStack stack = kStack;
  stack.batch = data_parallel_wins_above_batch(kStack);
  EXPECT_EQ(data_parallel_crossing_bytes(stack), pipeline_crossing_bytes(stack));
}

TEST(CostModelPipeline, Ex1_2_Bubble) {
  const std::pair<int, double> rows[] = {{1, .5}, {2, .333}, {4, .2}, {8, .111}, {16, .059}, {32, .030}};
  for (const auto& [m, idle] : rows) EXPECT_NEAR(bubble_fraction(m), idle, 5e-4) << m;
  EXPECT_DOUBLE_EQ(bubble_fraction(8, 4), 3.0 / 11);
  EXPECT_EQ(bubble_fraction(8, 1), 0);
}

TEST(CostModelBatchNorm, Ex3_2_Bytes) {
  const BatchNormTraffic even = batch_norm_traffic(20 + 50 + 128);
  EXPECT_EQ(even.forward_bytes, 1584);
  EXPECT_EQ(even.backward_bytes, 1584);
  EXPECT_EQ(batch_norm_traffic(198, true).forward_bytes, 1588);
  EXPECT_NEAR(1584 / 516272.0, 0.0031, 5e-5);
  EXPECT_NEAR(516272 / 1584.0, 326, 0.5);
}

TEST(CostModelWidth, A1_A2_Ex10_1_GradientsAndArithmetic) {
  struct Row {
    int width;
    double mb, macs_M, ratio;
  };
  const Row rows[] = {{1, 0.516, 2.25, 4.359},
                      {2, 2.05, 8.76, 4.267},
                      {4, 8.18, 34.5, 4.221},
                      {8, 32.7, 137.1, 4.198},
                      {16, 130.6, 546.6, 4.186}};
  for (const Row& row : rows) {
    const LeNet model(row.width);
    const double w = row.width, bytes = 4.0 * double(model.num_params()), macs = double(model.forward_macs());
    EXPECT_EQ(bytes, 4 * (127400 * w * w + 1658 * w + 10));
    EXPECT_EQ(macs, 2127400 * w * w + 122960 * w);
    EXPECT_NEAR(bytes / 1e6, row.mb, row.mb < 1 ? 5e-4 : row.mb < 10 ? 5e-3 : 0.05) << w;
    EXPECT_NEAR(macs / 1e6, row.macs_M, row.macs_M < 10 ? 0.005 : 0.05) << w;
    EXPECT_NEAR((StepWork{macs, bytes, 256}.macs_per_byte()), row.ratio, 5e-4) << w;
  }
  EXPECT_EQ(LeNet(1).num_params(), 129068u);
  EXPECT_EQ(LeNet(1).forward_macs(), 2250360);
  EXPECT_EQ(LeNet(1).training_macs(), 6629400);
  EXPECT_NEAR(2127400.0 / (4 * 127400), 4.175, 5e-4);
}

TEST(CostModelWidth, Ex10_3_BreakEvenRate) {
  const double ratio = 2127400.0 / (4 * 127400);
  EXPECT_NEAR(break_even_rate_FLOPps(256, ratio, 1), 1603, 0.5);
  EXPECT_NEAR(break_even_rate_FLOPps(256, ratio, 17.28e9) / 1e12, 27.7, 0.05);
  EXPECT_NEAR(break_even_rate_FLOPps(256, ratio, 2.71e9) / 1e12, 4.34, 0.005);
  EXPECT_NEAR(break_even_rate_FLOPps(256, ratio, 20e9) / 1e12, 32.1, 0.05);
}

TEST(CostModelWidth, Ex10_3_SpeedupIsOneAtTheBreakEvenRate) {
  const StepWork work{2127400, 4 * 127400, 256};
  const double rate = break_even_rate_FLOPps(256, work.macs_per_byte(), 17.28e9);
  EXPECT_NEAR(two_device_speedup(work, rate, 17.28e9), 1, 1e-12);
  EXPECT_GT(two_device_speedup(work, rate / 2, 17.28e9), 1);
  EXPECT_LT(two_device_speedup(work, rate * 2, 17.28e9), 1);
  EXPECT_NEAR(two_device_speedup(work, 1, 17.28e9), 2, 1e-9);
}

TEST(CostModelWidth, Ex10_4_FourTimesTheBatchFourTimesTheRate) {
  const double ratio = 2127400.0 / (4 * 127400);
  EXPECT_NEAR(break_even_rate_FLOPps(1024, ratio, 17.28e9) / 1e12, 110.8, 0.05);
}

TEST(CostModelMemory, D9_SixteenBytesPerParameter) {
  EXPECT_DOUBLE_EQ(training_memory_bytes(70e9), 1.12e12);
  EXPECT_DOUBLE_EQ(largest_model_params(80e9), 5e9);
}

TEST(CostModelMemory, A15_EveryDeviceHoldsParametersAndGradients) {
  EXPECT_EQ(sgd_memory_bytes(129068), 2 * 516272);
}

TEST(CostModelBandwidth, B6_B7_B8_ThreeConventions) {
  const Bandwidths star = bandwidths(2, 268435456, 31.1e-3), psum = bandwidths(2, 268435456, 198.2e-3);
  EXPECT_NEAR(*star.algbw_Bps / 1e9, 8.63, 0.005);
  EXPECT_NEAR(*star.busbw_Bps / 1e9, 8.63, 0.005);
  EXPECT_NEAR(*star.effective_Bps / 1e9, 17.26, 0.005);
  EXPECT_NEAR(*psum.algbw_Bps / 1e9, 1.35, 0.005);
  EXPECT_NEAR(*psum.busbw_Bps / 1e9, 1.35, 0.005);
  EXPECT_NEAR(*psum.effective_Bps / 1e9, 2.71, 0.005);
}

TEST(CostModelBandwidth, B9_FiveFoldOfTheLibrarysFigure) {
  EXPECT_NEAR(5 * *bandwidths(2, 268435456, 198.2e-3).effective_Bps / 1e9, 13.6, 0.06);
}

TEST(CostModelBandwidth, D1_D3_BusbwOfTheSmallMessage) {
  EXPECT_NEAR(*bandwidths(8, 1e6, 2 * 7 * (5e-6 + 1e6 / 8 / 50e9)).busbw_Bps / 1e9, 16.7, 0.05);
  EXPECT_NEAR(*bandwidths(512, 1e6, 2 * 511 * (5e-6 + 1e6 / 512 / 50e9)).busbw_Bps / 1e9, 0.4, 0.05);
  EXPECT_NEAR(*bandwidths(4096, 1e6, 2 * 4095 * (5e-6 + 1e6 / 4096 / 50e9)).busbw_Bps / 1e9, 0.049, 5e-4);
}

TEST(CostModelBandwidth, Ex6_2_EffectiveInBusbw) {
  EXPECT_DOUBLE_EQ(*convert_bandwidth(2, Convention::busbw, 1).effective_Bps, 2);
  for (int k = 2; k <= 64; ++k)
    EXPECT_DOUBLE_EQ(*convert_bandwidth(k, Convention::busbw, 1).effective_Bps, double(k) / (k - 1));
}

TEST(CostModelBandwidth, Ex6_3_TimeFromBusbw) {
  EXPECT_NEAR(*allreduce_time_s(8, 1e9, Convention::busbw, 400e9) * 1e3, 4.375, 1e-9);
  EXPECT_NEAR(2 * 1e9 / 400e9 * 1e3, 5.000, 1e-9);
  EXPECT_NEAR(*busbw_as_beta_error(8), 0.143, 5e-4);
  EXPECT_NEAR(*convert_bandwidth(8, Convention::busbw, 400e9).algbw_Bps / 1e9, 228.57, 0.005);
}

TEST(CostModelBandwidth, EveryConventionConvertsBack) {
  for (int k = 2; k <= 9; ++k) {
    const Bandwidths b = bandwidths(k, 1e9, 0.01);
    EXPECT_DOUBLE_EQ(*convert_bandwidth(k, Convention::busbw, *b.busbw_Bps).algbw_Bps, *b.algbw_Bps);
    EXPECT_DOUBLE_EQ(*convert_bandwidth(k, Convention::effective, *b.effective_Bps).busbw_Bps, *b.busbw_Bps);
    EXPECT_DOUBLE_EQ(*convert_bandwidth(k, Convention::algbw, *b.algbw_Bps).effective_Bps, *b.effective_Bps);
  }
}

TEST(CostModelBandwidth, OneDeviceAndNoTimeHaveNone) {
  for (const Bandwidths& none :
       {bandwidths(1, 1e9, 0.01), bandwidths(2, 1e9, 0), convert_bandwidth(1, Convention::busbw, 1e9)}) {
    EXPECT_FALSE(none.algbw_Bps);
    EXPECT_FALSE(none.busbw_Bps);
    EXPECT_FALSE(none.effective_Bps);
  }
  EXPECT_FALSE(allreduce_time_s(1, 1e9, Convention::busbw, 1e9));
  EXPECT_FALSE(busbw_as_beta_error(1));
}

TEST(CostModelShards, Ex2_2_WeightsOfATokenInTheMeanOfMeans) {
  const std::vector<double> weights = mean_of_means_weights({3000, 1000});
  EXPECT_DOUBLE_EQ(weights[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(weights[1], 2);
}

TEST(CostModelShards, Ex2_1_Ex2_3_ExactScales) {
  EXPECT_EQ(mean_of_means_weights({128, 128}), (std::vector<double>{1, 1}));
  const std::vector<double> scales = exact_mean_scales({3000, 1000});
  EXPECT_DOUBLE_EQ(scales[0], 1.5);
  EXPECT_DOUBLE_EQ(scales[1], 0.5);
}

}  // namespace
}  // namespace dpx
