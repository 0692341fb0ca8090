#include "tests/fake_cuda/cudnn/convolution.hpp"

#include <algorithm>
#include <vector>

namespace fake {
namespace {

/// Calls visit(tap, cell, index in the image, or -1 in the padding).
template <class Visit>
void for_each_tap(const ConvolutionShape& shape, Visit visit) {
  std::size_t tap = 0;
  for (int c = 0; c < shape.c; ++c)
    for (int r = 0; r < shape.r; ++r)
      for (int s = 0; s < shape.s; ++s, ++tap) {
        std::size_t cell = 0;
        for (int p = 0; p < shape.p; ++p)
          for (int q = 0; q < shape.q; ++q, ++cell) {
            const int row = p * shape.stride_h + r - shape.pad_h,
                      column = q * shape.stride_w + s - shape.pad_w;
            const bool inside = row >= 0 && row < shape.h && column >= 0 && column < shape.w;
            visit(tap, cell, inside ? (std::ptrdiff_t(c) * shape.h + row) * shape.w + column : -1);
          }
      }
}

/// Shapes: columns (taps,cells).
void to_columns(const ConvolutionShape& shape, const float* image, std::vector<float>& columns) {
  float* out = columns.data();
  for_each_tap(shape, [&](std::size_t, std::size_t, std::ptrdiff_t at) { *out++ = at < 0 ? 0 : image[at]; });
}

void add_scaled(float* __restrict out, float a, const float* __restrict x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] += a * x[i];
}

/// Sixteen sums side by side, so that the compiler may use vectors.
float dot(const float* __restrict a, const float* __restrict b, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  float total = 0;
  for (; i < count; ++i) total += a[i] * b[i];
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

void convolve(const ConvolutionShape& shape, const float* x, const float* w, float* y) {
  std::vector<float> columns(shape.taps() * shape.cells());
  for (int n = 0; n < shape.n; ++n) {
    to_columns(shape, x + n * shape.image(), columns);
    for (int k = 0; k < shape.k; ++k) {
      float* row = y + (std::size_t(n) * shape.k + k) * shape.cells();
      std::fill_n(row, shape.cells(), 0.0f);
      for (std::size_t tap = 0; tap < shape.taps(); ++tap)
        add_scaled(row, w[k * shape.taps() + tap], columns.data() + tap * shape.cells(), shape.cells());
    }
  }
}

void convolve_backward_data(const ConvolutionShape& shape, const float* w, const float* dy, float* dx) {
  std::vector<float> columns(shape.taps() * shape.cells());
  for (int n = 0; n < shape.n; ++n) {
    std::fill(columns.begin(), columns.end(), 0.0f);
    for (int k = 0; k < shape.k; ++k) {
      const float* row = dy + (std::size_t(n) * shape.k + k) * shape.cells();
      for (std::size_t tap = 0; tap < shape.taps(); ++tap)
        add_scaled(columns.data() + tap * shape.cells(), w[k * shape.taps() + tap], row, shape.cells());
    }
    float* image = dx + n * shape.image();
    std::fill_n(image, shape.image(), 0.0f);
    const float* in = columns.data();
    for_each_tap(shape, [&](std::size_t, std::size_t, std::ptrdiff_t at) {
      if (at >= 0) image[at] += *in;
      ++in;
    });
  }
}

void convolve_backward_filter(const ConvolutionShape& shape, const float* x, const float* dy, float* dw,
                              std::size_t first) {
  std::vector<float> columns(shape.taps() * shape.cells());
  std::vector<double> sums(std::size_t(shape.k) * shape.taps());
  for (int i = 0; i < shape.n; ++i) {
    const std::size_t n = (first + std::size_t(i)) % std::size_t(shape.n);
    to_columns(shape, x + n * shape.image(), columns);
    for (int k = 0; k < shape.k; ++k) {
      const float* row = dy + (n * shape.k + k) * shape.cells();
      for (std::size_t tap = 0; tap < shape.taps(); ++tap)
        sums[k * shape.taps() + tap] += dot(row, columns.data() + tap * shape.cells(), shape.cells());
    }
  }
  std::transform(sums.begin(), sums.end(), dw, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace fake
