#pragma once
// LeNet's own device code, beside cuDNN and cuBLASLt. Every sum has a fixed order, so results repeat bit for
// bit. No launches here, so that a host compiler can read this file, too.
#include <cmath>
#include <cstdint>

#include "kernels/cuda/grid_stride.cuh"
#include "kernels/cuda/step_arguments.hpp"

namespace dpx::cuda {

inline constexpr int kSumThreads = 256;  ///< threads of a block that sums

__global__ void set_arguments_kernel(StepArguments* where, StepArguments value) {
  *where = value;
}

__device__ inline float intensity(std::uint8_t pixel) {
  return float(pixel) * (1.0f / 255);
}
__device__ inline float intensity(float pixel) {
  return pixel;
}

/// Shapes: arguments->images (N,28,28), order (n) -> x (n,1,26,26).
template <class Pixel>
__global__ void gather_kernel(const StepArguments* arguments, float* x, int n) {
  const Pixel* images = static_cast<const Pixel*>(arguments->images);
  const std::size_t total = std::size_t(n) * kUsedPixels;
  for (std::size_t i = first_element(); i < total; i += element_stride()) {
    const std::size_t example = i / kUsedPixels, cell = i % kUsedPixels;
    const std::size_t row = cell / kUsedSide, column = cell % kUsedSide;
    const std::size_t image = std::size_t(arguments->order[example]) * kImagePixels;
    x[i] = intensity(images[image + row * kImageSide + column]);
  }
}

/// y = max(y + bias, 0). Shapes: y (total = n * channels * cells); bias (channels).
__global__ void bias_relu_kernel(float* y, const float* bias, int channels, int cells, std::size_t total) {
  for (std::size_t i = first_element(); i < total; i += element_stride()) {
    const float sum = y[i] + bias[i / std::size_t(cells) % std::size_t(channels)];
    y[i] = sum > 0 ? sum : 0;
  }
}

/// The sum of `value` over the block's threads, by halving; the result is thread 0's.
__device__ inline float block_sum(float value) {
  __shared__ float parts[kSumThreads];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kSumThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

/// One block per channel and slice of the examples. Shapes: dy, y (n,channels,cells); partials
/// (gridDim.y,channels).
__global__ void relu_channel_sums_kernel(float* dy, const float* y, float* partials, int n, int channels,
                                         int cells) {
  const int channel = int(blockIdx.x), slice = int(blockIdx.y), slices = int(gridDim.y);
  const int first = int(std::size_t(n) * slice / slices), last = int(std::size_t(n) * (slice + 1) / slices);
  float sum = 0;
  for (int i = int(threadIdx.x); i < (last - first) * cells; i += int(blockDim.x)) {
    const std::size_t example = std::size_t(first + i / cells);
    const std::size_t at = (example * channels + channel) * cells + std::size_t(i % cells);
    const float gradient = y[at] > 0 ? dy[at] : 0;
    dy[at] = gradient;
    sum += gradient;
  }
  const float total = block_sum(sum);
  if (threadIdx.x == 0) partials[std::size_t(slice) * channels + channel] = total;
}

/// One thread per column and slice of the rows. Shapes: dy, y (rows,columns); partials (gridDim.y,columns).
__global__ void column_sums_kernel(float* dy, const float* y, float* partials, int rows, int columns) {
  const int column = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  const int slice = int(blockIdx.y), slices = int(gridDim.y);
  const int first = int(std::size_t(rows) * slice / slices),
            last = int(std::size_t(rows) * (slice + 1) / slices);
  float sum = 0;
  for (int row = first; row < last; ++row) {
    const std::size_t at = std::size_t(row) * columns + column;
    if (y != nullptr && !(y[at] > 0)) dy[at] = 0;
    sum += dy[at];
  }
  partials[std::size_t(slice) * columns + column] = sum;
}

/// One row of blocks per bias gradient. Shapes: see PartialSums.
__global__ void finish_sums_kernel(SumTable table) {
  const PartialSums sums = table.sums[blockIdx.y];
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= sums.count) return;
  float sum = 0;
  for (int slice = 0; slice < kSumSlices; ++slice) sum += sums.partials[slice * sums.count + i];
  sums.out[i] = sum;
}

/// One thread per example: cross-entropy, whether the first largest logit is the label's, and the gradient of
/// the sum of the losses. Shapes: logits, dlogits (n,10); dlogits may be null.
__global__ void softmax_loss_kernel(const StepArguments* arguments, const float* logits, float* dlogits,
                                    int n) {
  const int example = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (example >= n) return;
  const float* row = logits + example * kNumClasses;
  const int label = arguments->labels[arguments->order[example]];
  int best = 0;
  for (int c = 1; c < kNumClasses; ++c)
    if (row[c] > row[best]) best = c;
  const float largest = row[best];
  float powers[kNumClasses], sum = 0;
  for (int c = 0; c < kNumClasses; ++c) {
    powers[c] = expf(row[c] - largest);
    sum += powers[c];
  }
  arguments->losses[example] = logf(sum) + (largest - row[label]);
  arguments->correct[example] = std::uint8_t(best == label);
  if (dlogits == nullptr) return;
  const float inverse = 1.0f / sum;
  for (int c = 0; c < kNumClasses; ++c)
    dlogits[example * kNumClasses + c] = powers[c] * inverse - (c == label ? 1.0f : 0.0f);
}

}  // namespace dpx::cuda
