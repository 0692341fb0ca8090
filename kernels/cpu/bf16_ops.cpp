#include "kernels/cpu/bf16_ops.hpp"

#include "kernels/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/bf16_ops.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of bf16 is seen as one of 32-bit words. A word's upper half is, with zeros below, the fp32 value
// of the element at the odd place; its lower half, shifted up, that of the element at the even place before
// it. So a vector widens to two of fp32 and back without moving anything between lanes.
using D16 = hn::ScalableTag<std::uint16_t>;
using D32 = hn::Repartition<std::uint32_t, D16>;
using DF = hn::Repartition<float, D16>;
using VF = hn::Vec<DF>;
using V32 = hn::Vec<D32>;

HWY_INLINE V32 load_words(const Bf16* p) {
  return hn::BitCast(D32(), hn::LoadU(D16(), &p->bits));
}

HWY_INLINE VF even_of(V32 words) {
  return hn::BitCast(DF(), hn::ShiftLeft<16>(words));
}

HWY_INLINE VF odd_of(V32 words) {
  return hn::BitCast(DF(), hn::And(words, hn::Set(D32(), 0xffff0000u)));
}

// The number rounded to its upper half; the lower half is left over. Wrong for some NaNs, not for those whose
// lower half is zero: sums of bf16 numbers have no others.
HWY_INLINE V32 round_up_half(V32 bits) {
  const D32 d;
  const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  return bits + is_odd + hn::Set(d, 0x7fff);
}

HWY_INLINE VF rounded(VF value) {
  const D32 d;
  return hn::BitCast(DF(), hn::And(round_up_half(hn::BitCast(d, value)), hn::Set(d, 0xffff0000u)));
}

// Both halves of a sum rounded and joined; any NaN becomes the one of kBf16Nan.
HWY_INLINE hn::Vec<D16> joined(VF even, VF odd) {
  const D32 d;
  const VF nan = hn::BitCast(DF(), hn::Set(d, std::uint32_t(kBf16Nan.bits) << 16));
  const V32 low = round_up_half(hn::BitCast(d, hn::IfThenElse(even == even, even, nan)));
  const V32 high = round_up_half(hn::BitCast(d, hn::IfThenElse(odd == odd, odd, nan)));
  return hn::BitCast(D16(), hn::Or(hn::ShiftRight<16>(low), hn::And(high, hn::Set(d, 0xffff0000u))));
}

// Two vectors at a time, then one at a time, then single elements.
template <class VectorOp, class ScalarOp>
HWY_INLINE void for_each_bf16(std::size_t lanes, std::size_t n, const VectorOp& vector_op,
                              const ScalarOp& scalar_op) {
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes)
    for (std::size_t v = 0; v < 2; ++v) vector_op(i + v * lanes);
  for (; i + lanes <= n; i += lanes) vector_op(i);
  for (; i < n; ++i) scalar_op(i);
}

// Half a vector of bf16 from a vector of fp32, as to_bf16.
void bf16_round(Bf16* dst, const float* src, std::size_t n) {
  const DF df;
  const hn::RebindToSigned<DF> di;
  const hn::Rebind<std::uint16_t, DF> half;
  for_each_bf16(
      hn::Lanes(df), n,
      [=](std::size_t i) HWY_ATTR {
        const D32 d;
        const V32 bits = hn::BitCast(d, hn::LoadU(df, src + i));
        const V32 upper = hn::ShiftRight<16>(bits);
        const auto is_nan = hn::And(bits, hn::Set(d, 0x7fffffffu)) > hn::Set(d, 0x7f800000u);
        const auto needs_quiet = hn::And(upper, hn::Set(d, 0x7fu)) == hn::Zero(d);
        const V32 nan = hn::Or(upper, hn::IfThenElseZero(needs_quiet, hn::Set(d, 0x40u)));
        const V32 result = hn::IfThenElse(is_nan, nan, hn::ShiftRight<16>(round_up_half(bits)));
        hn::StoreU(hn::DemoteTo(half, hn::BitCast(di, result)), half, &dst[i].bits);
      },
      [=](std::size_t i) { dst[i] = to_bf16(src[i]); });
}

void bf16_widen(float* dst, const Bf16* src, std::size_t n) {
  const DF df;
  const D32 d;
  const hn::Rebind<std::uint16_t, DF> half;
  for_each_bf16(
      hn::Lanes(df), n,
      [=](std::size_t i) HWY_ATTR {
        const V32 words = hn::PromoteTo(d, hn::LoadU(half, &src[i].bits));
        hn::StoreU(hn::BitCast(df, hn::ShiftLeft<16>(words)), df, dst + i);
      },
      [=](std::size_t i) { dst[i] = to_float(src[i]); });
}

// Reads run this far ahead where the buffers are larger than the nearest caches.
constexpr std::size_t kBf16PrefetchAhead = 1024 / sizeof(Bf16), kBf16PrefetchFrom = (64 << 10) / sizeof(Bf16);

// The number of buffers as a constant where it is small (N > 0), so that the inner loops unroll.
template <std::size_t N, bool kToAll, bool kPrefetch>
HWY_INLINE void bf16_sum_buffers(Bf16* const* buffers, std::size_t n, std::size_t count) {
  const std::size_t used = N > 0 ? N : n;
  for_each_bf16(
      hn::Lanes(D16()), count,
      [=](std::size_t i) HWY_ATTR {
        const V32 first = load_words(buffers[0] + i);
        VF even = even_of(first), odd = odd_of(first);
        for (std::size_t b = 1; b < used; ++b) {
          const V32 words = load_words(buffers[b] + i);
          if (b > 1) even = rounded(even), odd = rounded(odd);
          even = even + even_of(words), odd = odd + odd_of(words);
        }
        if constexpr (kPrefetch)
          for (std::size_t b = 0; b < used; ++b) hwy::Prefetch(buffers[b] + i + kBf16PrefetchAhead);
        const auto sum = joined(even, odd);
        for (std::size_t b = 0; b < (kToAll ? used : 1); ++b) hn::StoreU(sum, D16(), &buffers[b][i].bits);
      },
      [=](std::size_t i) {
        Bf16 sum = buffers[0][i];
        for (std::size_t b = 1; b < used; ++b) sum = add_rounded(sum, buffers[b][i]);
        for (std::size_t b = 0; b < (kToAll ? used : 1); ++b) buffers[b][i] = sum;
      });
}

template <bool kToAll, bool kPrefetch>
HWY_INLINE void bf16_sum_by_count(Bf16* const* buffers, std::size_t n, std::size_t count) {
  switch (n) {
    case 0:
    case 1:
      return;  // nothing is added
    case 2:
      return bf16_sum_buffers<2, kToAll, kPrefetch>(buffers, n, count);
    case 3:
      return bf16_sum_buffers<3, kToAll, kPrefetch>(buffers, n, count);
    case 4:
      return bf16_sum_buffers<4, kToAll, kPrefetch>(buffers, n, count);
    default:
      return bf16_sum_buffers<0, kToAll, kPrefetch>(buffers, n, count);
  }
}

void bf16_add_n(Bf16* const* buffers, std::size_t n, std::size_t count) {
  if (count >= kBf16PrefetchFrom) return bf16_sum_by_count<false, true>(buffers, n, count);
  bf16_sum_by_count<false, false>(buffers, n, count);
}

void bf16_add_n_to_all(Bf16* const* buffers, std::size_t n, std::size_t count) {
  if (count >= kBf16PrefetchFrom) return bf16_sum_by_count<true, true>(buffers, n, count);
  bf16_sum_by_count<true, false>(buffers, n, count);
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dpx::cpu {
HWY_EXPORT(bf16_round);
HWY_EXPORT(bf16_widen);
HWY_EXPORT(bf16_add_n);
HWY_EXPORT(bf16_add_n_to_all);

void convert(Bf16* dst, const float* src, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_round)(dst, src, n);
}

void convert(float* dst, const Bf16* src, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_widen)(dst, src, n);
}

void add(Bf16* dst, const Bf16* src, std::size_t n) {
  Bf16* const buffers[] = {dst, const_cast<Bf16*>(src)};  // only buffers[0] is written
  HWY_DYNAMIC_DISPATCH(bf16_add_n)(buffers, 2, n);
}

void add_n(Bf16* const* buffers, std::size_t n, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(bf16_add_n)(buffers, n, count);
}

void add_n_to_all(Bf16* const* buffers, std::size_t n, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(bf16_add_n_to_all)(buffers, n, count);
}

}  // namespace dpx::cpu
#endif
