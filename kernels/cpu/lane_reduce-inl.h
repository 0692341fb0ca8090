// Sums over the 16 lanes of a line.
#if defined(DPX_KERNELS_CPU_LANE_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_LANE_REDUCE_INL_H_
#undef DPX_KERNELS_CPU_LANE_REDUCE_INL_H_
#else
#define DPX_KERNELS_CPU_LANE_REDUCE_INL_H_
#endif

#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// sums[i] += sum of line i, a multiple of four lines being readable.
/// The tree over lanes is ((0+2)+(1+3)) in each quarter, then ((Q0+Q1)+(Q2+Q3)), whatever the vector length.
/// Shapes: lines (count rounded up to 4, 16); sums (count).
HWY_NOINLINE void lane_reduce(const float* HWY_RESTRICT lines, int count, float* HWY_RESTRICT sums) {
  const hn::FixedTag<float, 4> d4;
  const hn::Repartition<double, D> d64;  // a pair of floats moves as one double
  alignas(64) float quarters[kLanes];
  for (int i = 0; i < count; i += 4) {
    UNROLL
    for (int part = 0; part < kParts; ++part) {
      const float* p = lines + std::size_t(i) * kLanes + part * kVector;
      const V a = hn::Load(df, p), b = hn::Load(df, p + kLanes);
      const V c = hn::Load(df, p + 2 * kLanes), e = hn::Load(df, p + 3 * kLanes);
      const V ab = hn::InterleaveLower(df, a, b) + hn::InterleaveUpper(df, a, b);
      const V ce = hn::InterleaveLower(df, c, e) + hn::InterleaveUpper(df, c, e);
      const auto ab64 = hn::BitCast(d64, ab), ce64 = hn::BitCast(d64, ce);
      const V lower = hn::BitCast(df, hn::InterleaveLower(d64, ab64, ce64));
      const V upper = hn::BitCast(df, hn::InterleaveUpper(d64, ab64, ce64));
      hn::Store(lower + upper, df, quarters + part * kVector);
    }
    const auto first = hn::Load(d4, quarters) + hn::Load(d4, quarters + 4);
    const auto second = hn::Load(d4, quarters + 8) + hn::Load(d4, quarters + 12);
    if (i + 4 <= count) {
      hn::StoreU(hn::LoadU(d4, sums + i) + (first + second), d4, sums + i);
    } else {
      hn::Store(first + second, d4, quarters);
      for (int k = 0; i + k < count; ++k) sums[i + k] += quarters[k];
    }
  }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_LANE_REDUCE_INL_H_
