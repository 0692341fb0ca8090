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

// AVX2 where the processor has it: the same additions in the same order, so the same bits.
#define FAKE_WIDE __attribute__((target_clones("avx2", "default")))

/// out (rows,cells) = A (rows,inner) b (inner,cells), where A's element (i,j) is a[i * row_step + j *
/// inner_step].
FAKE_WIDE void multiply(float* __restrict out, const float* __restrict a, const float* __restrict b,
                        std::size_t rows, std::size_t inner, std::size_t cells, std::size_t row_step,
                        std::size_t inner_step) {
  constexpr std::size_t kBlock = 32;  // sums that stay in registers
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t first = 0; first < cells; first += kBlock) {
      float sums[kBlock] = {};
      const std::size_t width = std::min(kBlock, cells - first);
      for (std::size_t j = 0; j < inner; ++j) {
        const float factor = a[i * row_step + j * inner_step];
        const float* row = b + j * cells + first;
        if (width == kBlock) {
          for (std::size_t cell = 0; cell < kBlock; ++cell) sums[cell] += factor * row[cell];
        } else {
          for (std::size_t cell = 0; cell < width; ++cell) sums[cell] += factor * row[cell];
        }
      }
      std::copy_n(sums, width, out + i * cells + first);
    }
}

/// sums (rows,inner) += A (rows,cells) B (inner,cells)^T, each product in sixteen sums side by side.
FAKE_WIDE void add_products(double* __restrict sums, const float* __restrict a, const float* __restrict b,
                            std::size_t rows, std::size_t inner, std::size_t cells) {
  constexpr std::size_t kLanes = 16;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inner; ++j) {
      const float *x = a + i * cells, *y = b + j * cells;
      float lanes[kLanes] = {}, total = 0;
      std::size_t cell = 0;
      for (; cell + kLanes <= cells; cell += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[cell + lane] * y[cell + lane];
      for (; cell < cells; ++cell) total += x[cell] * y[cell];
      for (const float lane : lanes) total += lane;
      sums[i * inner + j] += total;
    }
}

}  // namespace

void convolve(const ConvolutionShape& shape, const float* x, const float* w, float* y) {
  std::vector<float> columns(shape.taps() * shape.cells());
  for (std::size_t n = 0; n < std::size_t(shape.n); ++n) {
    to_columns(shape, x + n * shape.image(), columns);
    multiply(y + n * shape.k * shape.cells(), w, columns.data(), std::size_t(shape.k), shape.taps(),
             shape.cells(), shape.taps(), 1);
  }
}

void convolve_backward_data(const ConvolutionShape& shape, const float* w, const float* dy, float* dx) {
  std::vector<float> columns(shape.taps() * shape.cells());
  for (std::size_t n = 0; n < std::size_t(shape.n); ++n) {
    multiply(columns.data(), w, dy + n * shape.k * shape.cells(), shape.taps(), std::size_t(shape.k),
             shape.cells(), 1, shape.taps());
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
    add_products(sums.data(), dy + n * shape.k * shape.cells(), columns.data(), std::size_t(shape.k),
                 shape.taps(), shape.cells());
  }
  std::transform(sums.begin(), sums.end(), dw, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace fake
