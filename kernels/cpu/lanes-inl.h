// Vector types of the LeNet kernels, and what conv1 and conv2 share: ReLU, 2x2 average pool and their masks.
#if defined(DPX_KERNELS_CPU_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_LANES_INL_H_
#undef DPX_KERNELS_CPU_LANES_INL_H_
#else
#define DPX_KERNELS_CPU_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/lenet_layout.hpp"

// Accumulators live in registers only if the loops over them are unrolled completely.
#ifndef UNROLL
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kLanes>;
using V = hn::Vec<D>;
constexpr D df;
constexpr int kVector = int(hn::MaxLanes(D()));                           ///< floats per vector
constexpr int kParts = kLanes / kVector;                                  ///< vectors per line
constexpr bool kManyRegisters = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64;  ///< 32 vector registers, else 16

constexpr int kMaskBytes = kVector >= 8 ? kVector / 8 : 1;  ///< of one vector's mask
constexpr int kPartMaskBytes = 4 * kMaskBytes;              ///< of the four masks of a pool window, one part
static_assert(kPartMaskBytes * kParts <= kWindowMaskBytes);

/// Register tiles: R x C accumulators. Every lane of row r starts as `rows[r]`, or all of them as zero.
template <int R, int C>
HWY_INLINE void set_tile(V (&tile)[R][C], const float* HWY_RESTRICT rows) {
  UNROLL
  for (int i = 0; i < R * C; ++i) tile[i / C][i % C] = hn::Set(df, rows[i / C]);
}
template <int R, int C>
HWY_INLINE void zero_tile(V (&tile)[R][C]) {
  UNROLL
  for (int i = 0; i < R * C; ++i) tile[i / C][i % C] = hn::Zero(df);
}

/// To and from memory: rows are `row_lines` lines apart, columns one.
template <int R, int C>
HWY_INLINE void load_tile(V (&tile)[R][C], const float* HWY_RESTRICT lines, std::size_t row_lines) {
  UNROLL
  for (int i = 0; i < R * C; ++i)
    tile[i / C][i % C] = hn::Load(df, lines + (i / C * row_lines + i % C) * kLanes);
}
template <int R, int C>
HWY_INLINE void store_tile(const V (&tile)[R][C], float* HWY_RESTRICT lines, std::size_t row_lines) {
  UNROLL
  for (int i = 0; i < R * C; ++i)
    hn::Store(tile[i / C][i % C], df, lines + (i / C * row_lines + i % C) * kLanes);
}

/// Masks of part `part` of pool window number `window` (channel * cells + cell).
HWY_INLINE std::uint8_t* window_masks(std::uint8_t* masks, std::size_t window, int part) {
  return masks + (window * kParts + part) * kPartMaskBytes;
}
HWY_INLINE const std::uint8_t* window_masks(const std::uint8_t* masks, std::size_t window, int part) {
  return masks + (window * kParts + part) * kPartMaskBytes;
}

/// ReLU and average of one pool window: stores one pooled vector and the four masks "output > 0".
HWY_INLINE void store_pooled(const V (&window)[4], float* HWY_RESTRICT pooled,
                             std::uint8_t* HWY_RESTRICT masks) {
  const V zero = hn::Zero(df);
  UNROLL
  for (int q = 0; q < 4; ++q) hn::StoreMaskBits(df, window[q] > zero, masks + q * kMaskBytes);
  const V top = hn::Max(window[0], zero) + hn::Max(window[1], zero);
  const V bottom = hn::Max(window[2], zero) + hn::Max(window[3], zero);
  hn::Store((top + bottom) * hn::Set(df, 0.25f), df, pooled);
}

/// Gradient of the four outputs of a pool window from the gradient of their average.
HWY_INLINE void load_unpooled(const float* HWY_RESTRICT dpooled, const std::uint8_t* HWY_RESTRICT masks,
                              V (&dwindow)[4]) {
  const V quarter = hn::Load(df, dpooled) * hn::Set(df, 0.25f);
  UNROLL
  for (int q = 0; q < 4; ++q)
    dwindow[q] = hn::IfThenElseZero(hn::LoadMaskBits(df, masks + q * kMaskBytes), quarter);
}

/// dst[c][r] = src[r][c] for a 4x4 tile of row-major matrices.
HWY_INLINE void transpose_4x4(const float* HWY_RESTRICT src, std::size_t src_stride, float* HWY_RESTRICT dst,
                              std::size_t dst_stride) {
  const hn::FixedTag<float, 4> d4;
  const hn::FixedTag<double, 2> d2;  // a pair of floats moves as one double
  const auto r0 = hn::LoadU(d4, src), r1 = hn::LoadU(d4, src + src_stride);
  const auto r2 = hn::LoadU(d4, src + 2 * src_stride), r3 = hn::LoadU(d4, src + 3 * src_stride);
  const auto a0 = hn::BitCast(d2, hn::InterleaveLower(d4, r0, r1));
  const auto a1 = hn::BitCast(d2, hn::InterleaveUpper(d4, r0, r1));
  const auto b0 = hn::BitCast(d2, hn::InterleaveLower(d4, r2, r3));
  const auto b1 = hn::BitCast(d2, hn::InterleaveUpper(d4, r2, r3));
  hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, a0, b0)), d4, dst);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, a0, b0)), d4, dst + dst_stride);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, a1, b1)), d4, dst + 2 * dst_stride);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, a1, b1)), d4, dst + 3 * dst_stride);
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_LANES_INL_H_
