// conv1: 3x3, one input channel, 28x28 -> 24x24 of its 26x26 outputs, pooled to 12x12.
#if defined(DPX_KERNELS_CPU_CONV1_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_CONV1_INL_H_
#undef DPX_KERNELS_CPU_CONV1_INL_H_
#else
#define DPX_KERNELS_CPU_CONV1_INL_H_
#endif

#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// First of the 4x4 pixels under the pool window of `cell`.
HWY_INLINE std::size_t patch_offset(int cell) {
  return std::size_t((2 * (cell / kPool1Side) * kSide + 2 * (cell % kPool1Side)) * kLanes);
}

/// Convolution, ReLU and pool of one group; a tile is R channels of one pool window.
/// Shapes: images (28,28,16); w (channels,3,3); b (channels) -> pooled (channels,12,12,16) and its masks.
template <int R>
HWY_NOINLINE void conv1_forward(const float* HWY_RESTRICT images, const float* HWY_RESTRICT w,
                                const float* HWY_RESTRICT b, int channels, float* HWY_RESTRICT pooled,
                                std::uint8_t* HWY_RESTRICT masks) {
  for (int part = 0; part < kParts; ++part)
    for (int cell = 0; cell < kPool1Cells; ++cell) {
      const float* patch = images + patch_offset(cell) + part * kVector;
      V x[16];
      UNROLL
      for (int i = 0; i < 16; ++i) x[i] = hn::Load(df, patch + ((i / 4) * kSide + i % 4) * kLanes);
      for (int oc = 0; oc < channels; oc += R) {
        V acc[R][4];
        set_tile(acc, b + oc);
        UNROLL
        for (int tap = 0; tap < kTaps1; ++tap) {
          const int corner = (tap / 3) * 4 + tap % 3;
          UNROLL
          for (int r = 0; r < R; ++r) {
            const V weight = hn::Set(df, w[(oc + r) * kTaps1 + tap]);
            acc[r][0] = hn::MulAdd(weight, x[corner], acc[r][0]);
            acc[r][1] = hn::MulAdd(weight, x[corner + 1], acc[r][1]);
            acc[r][2] = hn::MulAdd(weight, x[corner + 4], acc[r][2]);
            acc[r][3] = hn::MulAdd(weight, x[corner + 5], acc[r][3]);
          }
        }
        UNROLL
        for (int r = 0; r < R; ++r) {
          const std::size_t window = std::size_t((oc + r) * kPool1Cells + cell);
          store_pooled(acc[r], pooled + window * kLanes + part * kVector, window_masks(masks, window, part));
        }
      }
    }
}

/// Adds one pool window's share of the weight gradient: every pixel of the 4x4 patch meets the outputs it
/// fed.
template <int R>
HWY_INLINE void accumulate_patch(const float* HWY_RESTRICT patch, const V (&dwindow)[R][4],
                                 V (&acc)[R][kTaps1]) {
  UNROLL
  for (int i = 0; i < 16; ++i) {
    const V x = hn::Load(df, patch + ((i / 4) * kSide + i % 4) * kLanes);
    UNROLL
    for (int q = 0; q < 4; ++q) {
      const int ky = i / 4 - q / 2, kx = i % 4 - q % 2;
      if (ky < 0 || ky >= kKernel1 || kx < 0 || kx >= kKernel1) continue;
      UNROLL
      for (int r = 0; r < R; ++r) acc[r][ky * 3 + kx] = hn::MulAdd(dwindow[r][q], x, acc[r][ky * 3 + kx]);
    }
  }
}

/// Weight and bias gradient of one group, added to lane accumulators.
/// Shapes: dpooled (channels,12,12,16); images (28,28,16) -> dw (channels,3,3,16); db (channels,16).
template <int R>
HWY_NOINLINE void conv1_backward_weights(const float* HWY_RESTRICT dpooled,
                                         const std::uint8_t* HWY_RESTRICT masks,
                                         const float* HWY_RESTRICT images, int channels,
                                         float* HWY_RESTRICT dw, float* HWY_RESTRICT db) {
  for (int part = 0; part < kParts; ++part)
    for (int oc = 0; oc < channels; oc += R) {
      float* dw_tile = dw + oc * kTaps1 * kLanes + part * kVector;
      float* db_tile = db + oc * kLanes + part * kVector;
      V acc[R][kTaps1], bias[R];
      load_tile(acc, dw_tile, kTaps1);
      UNROLL
      for (int r = 0; r < R; ++r) bias[r] = hn::Load(df, db_tile + r * kLanes);
      for (int cell = 0; cell < kPool1Cells; ++cell) {
        V dwindow[R][4];
        UNROLL
        for (int r = 0; r < R; ++r) {
          const std::size_t window = std::size_t((oc + r) * kPool1Cells + cell);
          load_unpooled(dpooled + window * kLanes + part * kVector, window_masks(masks, window, part),
                        dwindow[r]);
          bias[r] = bias[r] + ((dwindow[r][0] + dwindow[r][1]) + (dwindow[r][2] + dwindow[r][3]));
        }
        accumulate_patch<R>(images + patch_offset(cell) + part * kVector, dwindow, acc);
      }
      store_tile(acc, dw_tile, kTaps1);
      UNROLL
      for (int r = 0; r < R; ++r) hn::Store(bias[r], df, db_tile + r * kLanes);
    }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_CONV1_INL_H_
