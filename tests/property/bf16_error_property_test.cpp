// How far bf16 sums are from the sum in float64: rounded after every hop of the ring, the error grows with
// the number of ranks; accumulated in fp32 it stays that of one rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/comm/mixed_reducer.hpp"
#include "lib/core/bf16.hpp"
#include "tests/support/devices.hpp"

namespace dpx {
namespace {

using Inputs = std::vector<std::vector<float>>;  // per rank, bf16 numbers
constexpr std::size_t kCount = 6000;

/// `common` of each value is the same on all ranks; the rest is the rank's own. Normal, variance 1.
Inputs random_inputs(int k, double common) {
  std::mt19937 shared(7);
  std::normal_distribution<double> normal;
  std::vector<double> base(kCount);
  for (double& value : base) value = normal(shared);
  Inputs inputs;
  for (int rank = 0; rank < k; ++rank) {
    std::mt19937 own(100 + unsigned(rank));
    normal.reset();
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i)
      values[i] = to_float(to_bf16(float(std::sqrt(common) * base[i] + std::sqrt(1 - common) * normal(own))));
    inputs.push_back(values);
  }
  return inputs;
}

/// The ring by hand: chunk c starts behind rank c, takes in one rank per hop and ends there.
std::vector<float> ring_by_hand(const Inputs& inputs) {
  const std::size_t k = inputs.size();
  std::vector<float> sums(kCount);
  for (std::size_t c = 0; c < k; ++c) {
    const Range chunk = part_of({0, kCount}, k, c);
    for (std::size_t i = chunk.first; i < chunk.end(); ++i) {
      Bf16 sum = to_bf16(inputs[(c + 1) % k][i]);
      for (std::size_t hop = 1; hop < k; ++hop) sum = add_rounded(sum, to_bf16(inputs[(c + 1 + hop) % k][i]));
      sums[i] = to_float(sum);
    }
  }
  return sums;
}

/// Accumulated in fp32 in the ring's order, rounded once.
std::vector<float> rounded_once(const Inputs& inputs) {
  std::vector<float> sums(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    float sum = 0;
    for (const auto& values : inputs) sum += values[i];
    sums[i] = to_float(to_bf16(sum));
  }
  return sums;
}

/// Root mean square of the error over that of the sum in float64.
double relative_error(const Inputs& inputs, const std::vector<float>& sums) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    double exact = 0;
    for (const auto& values : inputs) exact += double(values[i]);
    error += (sums[i] - exact) * (sums[i] - exact);
    norm += exact * exact;
  }
  return std::sqrt(error / norm);
}

std::vector<float> on_devices(const Inputs& inputs, bool in_fp32) {
  Group group = test::cpu_group(int(inputs.size()));
  auto reducer = make_backend("cpu")->make_reducer("ring", group);
  if (in_fp32) reducer = make_fp32_accumulating(std::move(reducer), group);
  test::RankBuffers buffers(group, inputs, DType::bf16);
  reducer->allreduce(buffers.slices(), {0, kCount}, std::vector<Event>(inputs.size()));
  group.synchronize();
  return buffers.read(0);
}

class Bf16Error : public testing::TestWithParam<double> {};

TEST_P(Bf16Error, PerHopGrowsWithTheRanksAndOnceDoesNot) {
  double before = 0;
  for (const int k : {2, 8, 64}) {
    const Inputs inputs = random_inputs(k, GetParam());
    const std::vector<float> per_hop = k == 64 ? ring_by_hand(inputs) : on_devices(inputs, false);
    const std::vector<float> once = k == 64 ? rounded_once(inputs) : on_devices(inputs, true);
    const double error = relative_error(inputs, per_hop), error_once = relative_error(inputs, once);
    RecordProperty("k" + std::to_string(k), std::to_string(error) + " once " + std::to_string(error_once));
    EXPECT_GE(error, before) << "k = " << k;
    EXPECT_LE(error_once, 0x1p-9 * 1.001) << "k = " << k;
    EXPECT_TRUE(error_once >= 0x1p-11 || GetParam() == 1) << k;  // k times the same number is exact
    EXPECT_GE(error * 1.001, error_once) << "k = " << k;
    before = error;
  }
  EXPECT_GE(before, 2 * 0x1p-9);  // 64 ranks: well beyond one rounding
}

TEST_P(Bf16Error, TheRingByHandIsTheRingOnDevices) {
  for (const int k : {2, 3, 8}) {
    const Inputs inputs = random_inputs(k, GetParam());
    EXPECT_EQ(ring_by_hand(inputs), on_devices(inputs, false)) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Common, Bf16Error, testing::Values(0.0, 0.5, 1.0), [](const auto& common) {
  return "percent_" + std::to_string(int(common.param * 100));
});

}  // namespace
}  // namespace dpx
