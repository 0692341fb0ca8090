#pragma once
// The arithmetic of convolutions, by columns: each output cell's inputs become a column of a matrix.
#include <cstddef>

namespace fake {

/// Shapes: x (n,c,h,w); w (k,c,r,s); y (n,k,p,q).
struct ConvolutionShape {
  int n, c, h, w, k, r, s, p, q, pad_h, pad_w, stride_h, stride_w;
  std::size_t taps() const { return std::size_t(c) * r * s; }
  std::size_t cells() const { return std::size_t(p) * q; }
  std::size_t image() const { return std::size_t(c) * h * w; }
};

void convolve(const ConvolutionShape& shape, const float* x, const float* w, float* y);
void convolve_backward_data(const ConvolutionShape& shape, const float* w, const float* dy, float* dx);
/// `first` is the example that the sum over examples starts with: algorithms whose order of additions is not
/// fixed give other bits with each.
void convolve_backward_filter(const ConvolutionShape& shape, const float* x, const float* dy, float* dw,
                              std::size_t first);

}  // namespace fake
