// Unequal GPUs are named, equal ones are not.
#include "kernels/cuda/gpu_facts.hpp"

#include <gtest/gtest.h>

namespace dpx::cuda {
namespace {

const GpuFacts kBig{"Big", 90, 132, std::size_t(80) << 30}, kSmall{"Small", 86, 20, std::size_t(8) << 30};

TEST(GpuFacts, EqualOnesAreNotMixed) {
  EXPECT_EQ(how_mixed({0}, {kBig}), "");
  EXPECT_EQ(how_mixed({0, 1, 0}, {kBig, kBig, kBig}), "");
  GpuFacts less = kBig;
  less.memory_bytes = std::size_t(79) << 30;
  EXPECT_EQ(how_mixed({0, 1}, {kBig, less}), "");
}

TEST(GpuFacts, EveryKindIsNamedWithItsGpus) {
  EXPECT_EQ(
      how_mixed({3, 1, 0, 3}, {kBig, kSmall, kBig, kBig}),
      "the GPUs differ: cuda:3,0 are Big, sm_90, 132 multiprocessors, 80.0 GiB; cuda:1 is Small, sm_86, 20 "
      "multiprocessors, 8.0 GiB; all wait for the slowest");
}

TEST(GpuFacts, OneNameCanHideTwoKinds) {
  GpuFacts fewer = kBig, half = kBig;
  fewer.multiprocessors = 114;
  half.memory_bytes /= 2;
  EXPECT_NE(how_mixed({0, 1}, {kBig, fewer}), "");
  EXPECT_NE(how_mixed({0, 1}, {kBig, half}), "");
}

}  // namespace
}  // namespace dpx::cuda
