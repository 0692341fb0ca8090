// Gathering images: 16 rows of a data set become 784 lines.
#if defined(DPX_KERNELS_CPU_LOAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_LOAD_INL_H_
#undef DPX_KERNELS_CPU_LOAD_INL_H_
#else
#define DPX_KERNELS_CPU_LOAD_INL_H_
#endif

#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// 16x16 bytes: column i of the result is row i of the 16 rows. Four rounds of perfect shuffles.
HWY_INLINE void transpose_bytes(const std::uint8_t* const (&rows)[kLanes], int first,
                                std::uint8_t* HWY_RESTRICT columns) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  hn::Vec<decltype(d8)> a[16], b[16];
  UNROLL
  for (int i = 0; i < 16; ++i) a[i] = hn::LoadU(d8, rows[i] + first);
  UNROLL
  for (int round = 0; round < 4; ++round) {
    UNROLL
    for (int i = 0; i < 8; ++i) {
      b[2 * i] = hn::InterleaveLower(d8, a[i], a[i + 8]);
      b[2 * i + 1] = hn::InterleaveUpper(d8, a[i], a[i + 8]);
    }
    UNROLL
    for (int i = 0; i < 16; ++i) a[i] = b[i];
  }
  UNROLL
  for (int i = 0; i < 16; ++i) hn::Store(a[i], d8, columns + 16 * i);
}

/// Shapes: rows 16 x (784) u8 -> lines (784, 16), scaled by 1/255.
HWY_NOINLINE void load_u8(const std::uint8_t* const (&rows)[kLanes], float* HWY_RESTRICT lines) {
  const hn::Rebind<std::uint8_t, D> d8;
  const hn::Rebind<std::int32_t, D> d32;
  const V scale = hn::Set(df, 1.0f / 255);
  alignas(64) std::uint8_t columns[16 * kLanes];
  for (int first = 0; first < kPixels; first += 16) {
    transpose_bytes(rows, first, columns);
    for (int i = 0; i < 16 * kLanes; i += kVector) {
      const auto pixels = hn::PromoteTo(d32, hn::LoadU(d8, columns + i));
      hn::Store(hn::ConvertTo(df, pixels) * scale, df, lines + first * kLanes + i);
    }
  }
}

/// Shapes: rows 16 x (784) f32 -> lines (784, 16).
HWY_NOINLINE void load_f32(const float* const (&rows)[kLanes], float* HWY_RESTRICT lines) {
  alignas(64) float tile[4 * kLanes];
  for (int first = 0; first < kPixels; first += 4)
    for (int lane = 0; lane < kLanes; lane += 4) {
      const hn::FixedTag<float, 4> d4;
      UNROLL
      for (int i = 0; i < 4; ++i) hn::Store(hn::LoadU(d4, rows[lane + i] + first), d4, tile + 4 * i);
      transpose_4x4(tile, 4, lines + first * kLanes + lane, kLanes);
    }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_LOAD_INL_H_
