// fc1: forward, input gradient and weight gradient.
#if defined(DPX_KERNELS_CPU_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPX_KERNELS_CPU_DENSE_INL_H_
#undef DPX_KERNELS_CPU_DENSE_INL_H_
#else
#define DPX_KERNELS_CPU_DENSE_INL_H_
#endif

#include "kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

/// The two products with fc1's weights w (in,out): x w + b with ReLU, and dy w^T.
enum class Product { forward, backward_data };

/// R rows of the result for NV vectors of examples; `w` points at the tile's first weight, `width` is w's row
/// length.
template <Product kProduct, int R, int NV>
HWY_INLINE void dense_tile(const float* const (&src)[NV], const float* HWY_RESTRICT w, std::size_t width,
                           int depth, const float* bias, float* const (&dst)[NV]) {
  V acc[R][NV];
  if (kProduct == Product::forward)
    set_tile(acc, bias);
  else
    zero_tile(acc);
  for (int k = 0; k < depth; ++k) {
    V x[NV];
    UNROLL
    for (int v = 0; v < NV; ++v) x[v] = hn::Load(df, src[v] + std::size_t(k) * kLanes);
    UNROLL
    for (int r = 0; r < R; ++r) {
      const V weight = hn::Set(df, kProduct == Product::forward ? w[k * width + r] : w[r * width + k]);
      UNROLL
      for (int v = 0; v < NV; ++v) acc[r][v] = hn::MulAdd(weight, x[v], acc[r][v]);
    }
  }
  UNROLL
  for (int i = 0; i < R * NV; ++i) {
    const int r = i / NV, v = i % NV;
    const V sum = kProduct == Product::forward ? hn::Max(acc[r][v], hn::Zero(df)) : acc[r][v];
    hn::Store(sum, df, dst[v] + r * kLanes);
  }
}

/// All rows of the result for NV vectors, the first of them being vector `first` of the block.
template <Product kProduct, int R, int NV>
HWY_NOINLINE void dense_vectors(const float* src, std::size_t src_stride, const float* HWY_RESTRICT w,
                                std::size_t width, int rows, int depth, const float* bias, float* dst,
                                std::size_t dst_stride, int first) {
  const float* src_vectors[NV];
  float* dst_vectors[NV];
  for (int v = 0; v < NV; ++v) {
    const int group = (first + v) / kParts, part = (first + v) % kParts;
    src_vectors[v] = src + group * src_stride + part * kVector;
    dst_vectors[v] = dst + group * dst_stride + part * kVector;
  }
  for (int row = 0; row < rows; row += R) {
    const float* tile = kProduct == Product::forward ? w + row : w + row * width;
    dense_tile<kProduct, R, NV>(src_vectors, tile, width, depth, bias ? bias + row : nullptr, dst_vectors);
    for (int v = 0; v < NV; ++v) dst_vectors[v] += R * kLanes;
  }
}

/// One of the two products for a block.
/// Shapes: w (in,out) with out = `width`; forward: src groups x (in,16), bias (out) -> dst groups x (out,16);
/// backward_data: src groups x (out,16), no bias -> dst groups x (in,16).
template <Product kProduct, int R>
HWY_INLINE void dense(const float* src, std::size_t src_stride, const float* w, std::size_t width, int rows,
                      int depth, const float* bias, float* dst, std::size_t dst_stride, int groups) {
  const int vectors = groups * kParts;
  int v = 0;
  for (; v + 2 <= vectors; v += 2)
    dense_vectors<kProduct, R, 2>(src, src_stride, w, width, rows, depth, bias, dst, dst_stride, v);
  if (v < vectors)
    dense_vectors<kProduct, R, 1>(src, src_stride, w, width, rows, depth, bias, dst, dst_stride, v);
}

/// One group of hidden gradients with examples in rows. Shapes: dh (hidden,16) -> dh_rows (16,hidden).
HWY_INLINE void transpose_group(const float* HWY_RESTRICT dh, int hidden, float* HWY_RESTRICT dh_rows) {
  for (int h = 0; h < hidden; h += 4)
    for (int lane = 0; lane < kLanes; lane += 4)
      transpose_4x4(dh + h * kLanes + lane, kLanes, dh_rows + std::size_t(lane) * hidden + h,
                    std::size_t(hidden));
}

/// fc1's weight gradient over a micro-shard, outputs in the vector lanes: a tile is R inputs x NV vectors of
/// outputs.
/// Shapes: x groups x (in,16); dh_rows (examples,hidden) -> dw (in,hidden), overwritten.
template <int R, int NV>
HWY_NOINLINE void fc1_backward_weights(const float* HWY_RESTRICT x, std::size_t x_stride,
                                       const float* HWY_RESTRICT dh_rows, int examples, int in, int hidden,
                                       float* HWY_RESTRICT dw) {
  for (int j = 0; j < in; j += R)
    for (int h = 0; h < hidden; h += NV * kVector) {
      V acc[R][NV];
      zero_tile(acc);
      for (int e = 0; e < examples; ++e) {
        const float* xp = x + (e / kLanes) * x_stride + std::size_t(j) * kLanes + e % kLanes;
        const float* hp = dh_rows + std::size_t(e) * hidden + h;
        V g[NV];
        UNROLL
        for (int v = 0; v < NV; ++v) g[v] = hn::Load(df, hp + v * kVector);
        UNROLL
        for (int r = 0; r < R; ++r) {
          const V input = hn::Set(df, xp[r * kLanes]);
          UNROLL
          for (int v = 0; v < NV; ++v) acc[r][v] = hn::MulAdd(input, g[v], acc[r][v]);
        }
      }
      UNROLL
      for (int i = 0; i < R * NV; ++i)
        hn::StoreU(acc[i / NV][i % NV], df, dw + std::size_t(j + i / NV) * hidden + h + i % NV * kVector);
    }
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // DPX_KERNELS_CPU_DENSE_INL_H_
