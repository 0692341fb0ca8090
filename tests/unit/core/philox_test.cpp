// Known answers of Philox4x32-10 and the numbers drawn from it.
// Source: known-answer vectors of Random123, the authors' library (file kat_vectors, philox4x32 10).
#include "lib/core/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dpx {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(0xffffffffffffffff, 0xffffffff, 0xffffffffffffffff, 0xffffffff),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0; low words first in index and seed.
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x13198a2e, 0x85a308d3243f6a88, 0x03707344),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryPartOfTheCounterAndTheKeyMatters) {
  const Words base = philox(1, 2, 3, 4);
  EXPECT_NE(philox(1 + (1ull << 32), 2, 3, 4), base);
  EXPECT_NE(philox(1, 3, 3, 4), base);
  EXPECT_NE(philox(1, 2, 3 + (1ull << 32), 4), base);
  EXPECT_NE(philox(1, 2, 3, 5), base);
}

TEST(Philox, NormalNumbersHaveTheMomentsOfNormalNumbers) {
  constexpr int kCount = 100'000;
  double moment[5] = {};
  for (int i = 0; i < kCount; ++i) {
    const double x = philox_normal(7, 0, std::uint64_t(i));
    ASSERT_TRUE(std::isfinite(x));
    for (int m = 1; m < 5; ++m) moment[m] += std::pow(x, m) / kCount;
  }
  const double unit = 1 / std::sqrt(double(kCount));  // five standard deviations of each moment
  EXPECT_NEAR(moment[1], 0, 5 * unit);
  EXPECT_NEAR(moment[2], 1, 5 * std::sqrt(2.0) * unit);
  EXPECT_NEAR(moment[3], 0, 5 * std::sqrt(15.0) * unit);
  EXPECT_NEAR(moment[4], 3, 5 * std::sqrt(96.0) * unit);
}

TEST(Philox, BelowIsUniformAndInRange) {
  int count[10] = {};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint32_t value = philox_below(10, 1, 0, std::uint64_t(i));
    ASSERT_LT(value, 10u);
    ++count[value];
  }
  for (int n : count) EXPECT_NEAR(n, 1000, 150);  // five standard deviations
  EXPECT_EQ(philox_below(1, 1, 0, 5), 0u);
}

}  // namespace
}  // namespace dpx
