#include "kernels/cpu/vector_ops.hpp"

#include "kernels/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/vector_ops.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// Vectors of four at a time, then one at a time, then single elements; each element sees the same roundings.
template <class VectorOp, class ScalarOp>
HWY_INLINE void for_each(std::size_t n, const VectorOp& vector_op, const ScalarOp& scalar_op) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    for (std::size_t v = 0; v < 4; ++v) vector_op(i + v * lanes);
  for (; i + lanes <= n; i += lanes) vector_op(i);
  for (; i < n; ++i) scalar_op(i);
}

void add(float* dst, const float* src, std::size_t n) {
  const D d;
  for_each(
      n,
      [=](std::size_t i) HWY_ATTR { hn::StoreU(hn::LoadU(d, dst + i) + hn::LoadU(d, src + i), d, dst + i); },
      [=](std::size_t i) { dst[i] += src[i]; });
}

void axpy(float* dst, float a, const float* src, std::size_t n) {
  const D d;
  const auto va = hn::Set(d, a);
  for_each(
      n,
      [=](std::size_t i)
          HWY_ATTR { hn::StoreU(hn::LoadU(d, dst + i) + va * hn::LoadU(d, src + i), d, dst + i); },
      [=](std::size_t i) { dst[i] += a * src[i]; });
}

void scale(float* dst, float a, std::size_t n) {
  const D d;
  const auto va = hn::Set(d, a);
  for_each(
      n, [=](std::size_t i) HWY_ATTR { hn::StoreU(hn::LoadU(d, dst + i) * va, d, dst + i); },
      [=](std::size_t i) { dst[i] *= a; });
}

// Reads run this far ahead where the buffers are larger than the nearest caches; below, prefetching only
// costs.
constexpr std::size_t kPrefetchAhead = 1024 / sizeof(float), kPrefetchFrom = (64 << 10) / sizeof(float);

// The number of buffers as a constant where it is small (N > 0), so that the inner loops unroll.
template <std::size_t N, bool kToAll, bool kPrefetch>
HWY_INLINE void sum_buffers(float* const* buffers, std::size_t n, std::size_t count) {
  const D d;
  const std::size_t used = N > 0 ? N : n;
  for_each(
      count,
      [=](std::size_t i) HWY_ATTR {
        auto sum = hn::LoadU(d, buffers[0] + i);
        for (std::size_t b = 1; b < used; ++b) sum = sum + hn::LoadU(d, buffers[b] + i);
        if constexpr (kPrefetch)
          for (std::size_t b = 0; b < used; ++b) hwy::Prefetch(buffers[b] + i + kPrefetchAhead);
        for (std::size_t b = 0; b < (kToAll ? used : 1); ++b) hn::StoreU(sum, d, buffers[b] + i);
      },
      [=](std::size_t i) {
        float sum = buffers[0][i];
        for (std::size_t b = 1; b < used; ++b) sum += buffers[b][i];
        for (std::size_t b = 0; b < (kToAll ? used : 1); ++b) buffers[b][i] = sum;
      });
}

template <bool kToAll, bool kPrefetch>
HWY_INLINE void sum_by_count(float* const* buffers, std::size_t n, std::size_t count) {
  switch (n) {
    case 2:
      return sum_buffers<2, kToAll, kPrefetch>(buffers, n, count);
    case 3:
      return sum_buffers<3, kToAll, kPrefetch>(buffers, n, count);
    case 4:
      return sum_buffers<4, kToAll, kPrefetch>(buffers, n, count);
    default:
      return sum_buffers<0, kToAll, kPrefetch>(buffers, n, count);
  }
}

void add_n(float* const* buffers, std::size_t n, std::size_t count) {
  if (count >= kPrefetchFrom) return sum_by_count<false, true>(buffers, n, count);
  sum_by_count<false, false>(buffers, n, count);
}

void add_n_to_all(float* const* buffers, std::size_t n, std::size_t count) {
  if (count >= kPrefetchFrom) return sum_by_count<true, true>(buffers, n, count);
  sum_by_count<true, false>(buffers, n, count);
}

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dpx::cpu {
HWY_EXPORT(add);
HWY_EXPORT(axpy);
HWY_EXPORT(scale);
HWY_EXPORT(add_n);
HWY_EXPORT(add_n_to_all);
HWY_EXPORT(target_name);

void add(float* dst, const float* src, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add)(dst, src, n);
}

void axpy(float* dst, float a, const float* src, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(axpy)(dst, a, src, n);
}

void scale(float* dst, float a, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(scale)(dst, a, n);
}

void add_n(float* const* buffers, std::size_t n, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_n)(buffers, n, count);
}

void add_n_to_all(float* const* buffers, std::size_t n, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_n_to_all)(buffers, n, count);
}

std::string simd_name() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace dpx::cpu
#endif
