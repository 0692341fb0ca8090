// conv2: 5x5, 12x12 -> 8x8 of its 9x9 outputs, pooled to 4x4; nine tenths of a training step.
// Channel counts are run-time values; only the kernel size and the length of a row are compiled in.
#if defined(DPX_KERNELS_CPU_CONV2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_CONV2_INL_H_
#undef DPX_KERNELS_CPU_CONV2_INL_H_
#else
#define DPX_KERNELS_CPU_CONV2_INL_H_
#endif

#include <algorithm>

#include "kernels/cpu/lane_reduce-inl.h"
#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// Convolution, ReLU and pool of one group; a tile is R output channels of one pool window, so that
/// convolution outputs never leave the registers.
/// Shapes: x (in,12,12,16); w (out,in,5,5); b (out) -> pooled (out,4,4,16) and its masks.
template <int R>
HWY_NOINLINE void conv2_forward(const float* HWY_RESTRICT x, const float* HWY_RESTRICT w,
                                const float* HWY_RESTRICT b, int in, int out, float* HWY_RESTRICT pooled,
                                std::uint8_t* HWY_RESTRICT masks) {
  const std::size_t w_stride = std::size_t(in) * kTaps2;
  for (int oc = 0; oc < out; oc += R)
    for (int cell = 0; cell < kPool2Cells; ++cell)
      for (int part = 0; part < kParts; ++part) {
        const int corner = 2 * (cell / kPool2Side) * kPool1Side + 2 * (cell % kPool2Side);
        V acc[R][4];
        set_tile(acc, b + oc);
        for (int ic = 0; ic < in; ++ic)
          for (int ky = 0; ky < kKernel2; ++ky) {
            const float* xp = x + (ic * kPool1Cells + ky * kPool1Side + corner) * kLanes + part * kVector;
            const float* wp = w + oc * w_stride + ic * kTaps2 + ky * kKernel2;
            UNROLL
            for (int kx = 0; kx < kKernel2; ++kx) {
              const V x0 = hn::Load(df, xp + kx * kLanes), x1 = hn::Load(df, xp + (kx + 1) * kLanes);
              const V x2 = hn::Load(df, xp + (kx + kPool1Side) * kLanes);
              const V x3 = hn::Load(df, xp + (kx + kPool1Side + 1) * kLanes);
              UNROLL
              for (int r = 0; r < R; ++r) {
                const V weight = hn::Set(df, wp[r * w_stride + kx]);
                acc[r][0] = hn::MulAdd(weight, x0, acc[r][0]);
                acc[r][1] = hn::MulAdd(weight, x1, acc[r][1]);
                acc[r][2] = hn::MulAdd(weight, x2, acc[r][2]);
                acc[r][3] = hn::MulAdd(weight, x3, acc[r][3]);
              }
            }
          }
        UNROLL
        for (int r = 0; r < R; ++r) {
          const std::size_t window = std::size_t((oc + r) * kPool2Cells + cell);
          store_pooled(acc[r], pooled + window * kLanes + part * kVector, window_masks(masks, window, part));
        }
      }
}

/// Gradient of conv2's outputs from that of their pooled averages; the bias gradient is added to lane
/// accumulators.
/// Shapes: dpooled (out,4,4,16) -> dy (out,8,8,16); db (out,16).
HWY_NOINLINE void unpool(const float* HWY_RESTRICT dpooled, const std::uint8_t* HWY_RESTRICT masks, int out,
                         float* HWY_RESTRICT dy, float* HWY_RESTRICT db) {
  for (int part = 0; part < kParts; ++part)
    for (int oc = 0; oc < out; ++oc) {
      V bias = hn::Load(df, db + oc * kLanes + part * kVector);
      for (int cell = 0; cell < kPool2Cells; ++cell) {
        const std::size_t window = std::size_t(oc * kPool2Cells + cell);
        V dwindow[4];
        load_unpooled(dpooled + window * kLanes + part * kVector, window_masks(masks, window, part), dwindow);
        const int corner = 2 * (cell / kPool2Side) * kConv2Side + 2 * (cell % kPool2Side);
        UNROLL
        for (int q = 0; q < 4; ++q) {
          bias = bias + dwindow[q];
          const int line = oc * kConv2Cells + corner + (q / 2) * kConv2Side + q % 2;
          hn::Store(dwindow[q], df, dy + line * kLanes + part * kVector);
        }
      }
      hn::Store(bias, df, db + oc * kLanes + part * kVector);
    }
}

/// Gradient of conv2's input, one group; a tile is R input channels of one row of 12.
/// Each of the 8 output gradients of a row meets the 5 taps that reach it, so no zero padding is multiplied.
/// Shapes: dy (out,8,8,16); w (out,in,5,5) -> dx (in,12,12,16).
template <int R>
HWY_NOINLINE void conv2_backward_data(const float* HWY_RESTRICT dy, const float* HWY_RESTRICT w, int in,
                                      int out, float* HWY_RESTRICT dx) {
  for (int ic = 0; ic < in; ic += R)
    for (int y = 0; y < kPool1Side; ++y)
      for (int part = 0; part < kParts; ++part) {
        V acc[R][kPool1Side];
        zero_tile(acc);
        const int first_ky = std::max(0, y - (kConv2Side - 1)), last_ky = std::min(y, kKernel2 - 1);
        for (int oc = 0; oc < out; ++oc)
          for (int ky = last_ky; ky >= first_ky; --ky) {
            const float* yp = dy + (oc * kConv2Side + y - ky) * kConv2Side * kLanes + part * kVector;
            const float* wp = w + (std::size_t(oc) * in + ic) * kTaps2 + ky * kKernel2;
            UNROLL
            for (int kx = 0; kx < kKernel2; ++kx) {
              V weight[R];
              UNROLL
              for (int r = 0; r < R; ++r) weight[r] = hn::Set(df, wp[r * kTaps2 + kx]);
              UNROLL
              for (int x = 0; x < kConv2Side; ++x) {
                const V g = hn::Load(df, yp + x * kLanes);
                UNROLL
                for (int r = 0; r < R; ++r) acc[r][x + kx] = hn::MulAdd(g, weight[r], acc[r][x + kx]);
              }
            }
          }
        store_tile(acc, dx + (ic * kPool1Side + y) * kPool1Side * kLanes + part * kVector, kPool1Cells);
      }
}

/// One group's sums over the 8x8 outputs for R output channels and the 5 taps of a kernel row, in lane
/// accumulators `lines` (r_stride lines apart per output channel).
template <int R>
HWY_INLINE void correlate_rows(const float* HWY_RESTRICT dy, const float* HWY_RESTRICT x, bool first,
                               float* HWY_RESTRICT lines, std::size_t r_stride) {
  V acc[R][kKernel2];
  if (first)
    zero_tile(acc);
  else
    load_tile(acc, lines, r_stride);
  for (int y = 0; y < kConv2Side; ++y, x += kPool1Side * kLanes, dy += kConv2Side * kLanes) {
    UNROLL
    for (int column = 0; column < kConv2Side; ++column) {
      V g[R];
      UNROLL
      for (int r = 0; r < R; ++r) g[r] = hn::Load(df, dy + (r * kConv2Cells + column) * kLanes);
      UNROLL
      for (int k = 0; k < kKernel2; ++k) {
        const V pixel = hn::Load(df, x + (column + k) * kLanes);
        UNROLL
        for (int r = 0; r < R; ++r) acc[r][k] = hn::MulAdd(g[r], pixel, acc[r][k]);
      }
    }
  }
  store_tile(acc, lines, r_stride);
}

/// Adds a block's weight gradient to dw. Lane accumulators of R output channels pass through `lines` from
/// group to group and are reduced over lanes once per block.
/// Shapes: dy groups x (out,8,8,16); x groups x (in,12,12,16); lines (R,in,5,5,16) -> dw (out,in,5,5).
template <int R>
HWY_NOINLINE void conv2_backward_weights(const float* HWY_RESTRICT dy, std::size_t dy_stride,
                                         const float* HWY_RESTRICT x, std::size_t x_stride, int groups,
                                         int in, int out, float* HWY_RESTRICT lines, float* HWY_RESTRICT dw) {
  const std::size_t w_stride = std::size_t(in) * kTaps2;
  for (int oc = 0; oc < out; oc += R) {
    for (int g = 0; g < groups; ++g)
      for (int ic = 0; ic < in; ++ic)
        for (int ky = 0; ky < kKernel2; ++ky)
          for (int part = 0; part < kParts; ++part)
            correlate_rows<R>(
                dy + g * dy_stride + oc * kConv2Cells * kLanes + part * kVector,
                x + g * x_stride + (ic * kPool1Side + ky) * kPool1Side * kLanes + part * kVector, g == 0,
                lines + (ic * kTaps2 + ky * kKernel2) * kLanes + part * kVector, w_stride);
    lane_reduce(lines, int(R * w_stride), dw + oc * w_stride);
  }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_CONV2_INL_H_
