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

std::string simd_name() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace dpx::cpu
#endif
