// fc2, softmax cross-entropy and the backward pass through both.
#if defined(DPX_KERNELS_CPU_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_HEAD_INL_H_
#undef DPX_KERNELS_CPU_HEAD_INL_H_
#else
#define DPX_KERNELS_CPU_HEAD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// Logits of one part of a group. Shapes: hidden (units,16); w (units,10); b (10).
HWY_INLINE void fc2_forward(const float* HWY_RESTRICT hidden, const float* HWY_RESTRICT w,
                            const float* HWY_RESTRICT b, int units, V (&logits)[kClasses]) {
  UNROLL
  for (int c = 0; c < kClasses; ++c) logits[c] = hn::Set(df, b[c]);
  for (int u = 0; u < units; ++u) {
    const V h = hn::Load(df, hidden + u * kLanes);
    UNROLL
    for (int c = 0; c < kClasses; ++c) logits[c] = hn::MulAdd(hn::Set(df, w[u * kClasses + c]), h, logits[c]);
  }
}

/// Cross-entropy and first largest class; replaces the logits by the loss gradient, which is zero where the
/// label is negative (an unused lane).
HWY_INLINE void softmax_cross_entropy(V label, V (&logits)[kClasses], V& loss, V& best) {
  V largest = logits[0], of_label = hn::Zero(df), sum = hn::Zero(df);
  UNROLL
  for (int c = 0; c < kClasses; ++c) {
    largest = hn::Max(largest, logits[c]);
    of_label = hn::IfThenElse(label == hn::Set(df, float(c)), logits[c], of_label);
  }
  best = hn::Set(df, -1.0f);
  UNROLL
  for (int c = kClasses - 1; c >= 0; --c)
    best = hn::IfThenElse(logits[c] == largest, hn::Set(df, float(c)), best);
  UNROLL
  for (int c = 0; c < kClasses; ++c) {
    logits[c] = hn::Exp(df, logits[c] - largest);
    sum = sum + logits[c];
  }
  loss = hn::Log(df, sum) + (largest - of_label);
  const V one = hn::Set(df, 1.0f);
  const V inverse = hn::IfThenElseZero(label >= hn::Zero(df), one / sum);
  UNROLL
  for (int c = 0; c < kClasses; ++c)
    logits[c] = logits[c] * inverse - hn::IfThenElseZero(label == hn::Set(df, float(c)), one);
}

/// Lane accumulators of the gradients that the head produces. Shapes: fc2_w (units,10,16); fc2_b (10,16);
/// fc1_b (units,16).
struct HeadLines {
  float* fc2_w;
  float* fc2_b;
  float* fc1_b;
};

/// Backward through fc2 and the ReLU before it, one part of a group; `lines` is advanced to that part.
/// Shapes: dlogits (10); hidden (units,16); w (units,10) -> dhidden (units,16).
HWY_INLINE void fc2_backward(const V (&dlogits)[kClasses], const float* HWY_RESTRICT hidden,
                             const float* HWY_RESTRICT w, int units, float* HWY_RESTRICT dhidden,
                             HeadLines lines) {
  const auto add_to = [](float* line, V v) HWY_ATTR { hn::Store(hn::Load(df, line) + v, df, line); };
  UNROLL
  for (int c = 0; c < kClasses; ++c) add_to(lines.fc2_b + c * kLanes, dlogits[c]);
  for (int u = 0; u < units; ++u) {
    const V h = hn::Load(df, hidden + u * kLanes);
    V sum = hn::Zero(df);
    UNROLL
    for (int c = 0; c < kClasses; ++c) {
      float* line = lines.fc2_w + (u * kClasses + c) * kLanes;
      hn::Store(hn::MulAdd(dlogits[c], h, hn::Load(df, line)), df, line);
      sum = hn::MulAdd(hn::Set(df, w[u * kClasses + c]), dlogits[c], sum);
    }
    const V dh = hn::IfThenElseZero(h > hn::Zero(df), sum);
    hn::Store(dh, df, dhidden + u * kLanes);
    add_to(lines.fc1_b + u * kLanes, dh);
  }
}

/// The head of one group; no gradients when `dhidden` is null.
/// Shapes: hidden (units,16); w (units,10); b (10); labels (16) -> losses, best (16); dhidden (units,16).
HWY_NOINLINE void head(const float* HWY_RESTRICT hidden, const float* HWY_RESTRICT w,
                       const float* HWY_RESTRICT b, int units, const float* HWY_RESTRICT labels,
                       float* HWY_RESTRICT losses, float* HWY_RESTRICT best, float* HWY_RESTRICT dhidden,
                       HeadLines lines) {
  for (int part = 0; part < kParts; ++part) {
    const int lane = part * kVector;
    V logits[kClasses], loss, best_class;
    fc2_forward(hidden + lane, w, b, units, logits);
    softmax_cross_entropy(hn::Load(df, labels + lane), logits, loss, best_class);
    hn::Store(loss, df, losses + lane);
    hn::Store(best_class, df, best + lane);
    if (!dhidden) continue;
    fc2_backward(logits, hidden + lane, w, units, dhidden + lane,
                 {lines.fc2_w + lane, lines.fc2_b + lane, lines.fc1_b + lane});
  }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_HEAD_INL_H_
