#pragma once
// Bf16: the upper half of an fp32 number, 8 bits of precision and fp32's range; one value at a time.
// Source: https://en.wikipedia.org/wiki/Bfloat16_floating-point_format
#include <bit>
#include <cstdint>

namespace dpx {

/// One bfloat16 number as its bits.
struct Bf16 {
  std::uint16_t bits = 0;
  bool operator==(const Bf16&) const = default;  ///< of the bits: -0 differs from 0, a NaN equals itself
};

/// Exact. Signalling NaNs stay as they are.
constexpr float to_float(Bf16 value) {
  return std::bit_cast<float>(std::uint32_t(value.bits) << 16);
}

/// Rounded to nearest, ties to even; overflow becomes infinity. A NaN keeps its upper bits, made quiet only
/// if they alone would be an infinity, so that to_bf16(to_float(x)) is x for every x.
constexpr Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t upper = bits >> 16;
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {std::uint16_t((upper & 0x7fu) == 0 ? upper | 0x40u : upper)};
  return {std::uint16_t((bits + 0x7fffu + (upper & 1u)) >> 16)};
}

/// What every NaN sum becomes: instruction sets differ in which operand's NaN they hand on.
inline constexpr Bf16 kBf16Nan{0x7fc0};

/// a + b, added in fp32 and rounded once, which is the exact sum rounded once: 24 >= 2 * 8 + 2 bits.
constexpr Bf16 add_rounded(Bf16 a, Bf16 b) {
  const float sum = to_float(a) + to_float(b);
  return sum == sum ? to_bf16(sum) : kBf16Nan;
}

}  // namespace dpx
