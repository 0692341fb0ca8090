#include "lib/core/bf16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/core/hash.hpp"

namespace dpx {
namespace {

float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST(Bf16, EveryValueComesBackWithItsBits) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Bf16 value{std::uint16_t(bits)};
    ASSERT_EQ(to_bf16(to_float(value)), value) << bits;
  }
}

TEST(Bf16, HalfwayCasesGoToTheEvenNeighbour) {
  EXPECT_EQ(to_bf16(1.0f + 0x1p-8f).bits, 0x3f80);      // between 1 and 1 + 2^-7: 1 is even
  EXPECT_EQ(to_bf16(1.0f + 3 * 0x1p-8f).bits, 0x3f82);  // the upper neighbour is even
  EXPECT_EQ(to_bf16(-1.0f - 0x1p-8f).bits, 0xbf80);
  EXPECT_EQ(to_bf16(float_of(0x3f808001)).bits, 0x3f81);  // just above half
  EXPECT_EQ(to_bf16(float_of(0x3f817fff)).bits, 0x3f81);  // just below half
  EXPECT_EQ(to_bf16(257.0f).bits, to_bf16(256.0f).bits);  // above 256 whole numbers are not exact
  EXPECT_EQ(to_float(to_bf16(259.0f)), 260.0f);
}

TEST(Bf16, RoundsToTheNearestOfItsNeighbours) {
  for (std::uint32_t upper = 0; upper < 0x7f80; ++upper)
    for (const std::uint32_t lower : {0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const bool up = lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1);
      ASSERT_EQ(to_bf16(float_of(upper << 16 | lower)).bits, upper + up) << upper << " " << lower;
    }
}

TEST(Bf16, InfinityNanAndDenormals) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(to_bf16(infinity).bits, 0x7f80);
  EXPECT_EQ(to_bf16(-infinity).bits, 0xff80);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()).bits, 0x7f80);  // overflow
  EXPECT_EQ(to_bf16(float_of(0x7f7f7fff)).bits, 0x7f7f);               // the last that does not
  for (const std::uint32_t nan :
       {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0x7f80ffffu})
    EXPECT_TRUE(std::isnan(to_float(to_bf16(float_of(nan))))) << nan;
  EXPECT_EQ(to_bf16(float_of(1)).bits, 0);
  EXPECT_EQ(to_bf16(float_of(0x80000001)).bits, 0x8000);
  EXPECT_EQ(to_bf16(float_of(0x00018000)).bits, 2);  // halfway between denormals 1 and 2
  EXPECT_EQ(to_bf16(float_of(0x007fffff)).bits, 0x0080);
}

TEST(Bf16, SumsOfSpecialValues) {
  const Bf16 infinity{0x7f80}, minus{0xff80}, one = to_bf16(1);
  EXPECT_EQ(add_rounded(infinity, minus), kBf16Nan);
  EXPECT_EQ(add_rounded(infinity, one), infinity);
  EXPECT_EQ(add_rounded(Bf16{0xffff}, one), kBf16Nan);
  EXPECT_EQ(add_rounded(Bf16{0x7f7f}, Bf16{0x7f7f}), infinity);
  EXPECT_EQ(add_rounded(to_bf16(256), one), to_bf16(256));  // the small addend is swallowed
}

TEST(Bf16, HashInPiecesIsTheHashOfTheWhole) {
  const Bf16 values[] = {to_bf16(1), to_bf16(2), to_bf16(-0.0f)};
  const std::span<const Bf16> all(values);
  EXPECT_EQ(hash_bits(all.subspan(1), hash_bits(all.first(1))), hash_bits(all));
  EXPECT_NE(hash_bits(all.first(2)), hash_bits(all));
  const float floats[] = {1, 2, 3};
  const std::span<const float> whole(floats);
  EXPECT_EQ(hash_bits(whole.subspan(2), hash_bits(whole.first(2))), hash_bits(whole));
}

}  // namespace
}  // namespace dpx
