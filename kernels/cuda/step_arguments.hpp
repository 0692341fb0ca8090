#pragma once
// What host and device code of the LeNet kernels share.
#include <cstddef>
#include <cstdint>

namespace dpx::cuda {

/// Where a step finds its examples and leaves its scores. Kept in device memory and rewritten before each
/// step, so that one captured graph serves every batch.
struct StepArguments {
  const void* images;
  const std::uint8_t* labels;
  const std::int32_t* order;
  float* losses;
  std::uint8_t* correct;
};

/// Slices of the examples that sum a bias gradient apart; their sums are added in order.
inline constexpr int kSumSlices = 16;

/// Partial sums of one bias gradient. Shapes: partials (kSumSlices,count) -> out (count).
struct PartialSums {
  const float* partials;
  float* out;
  int count;
};

/// The four bias gradients of LeNet.
struct SumTable {
  PartialSums sums[4];
};

inline constexpr int kImageSide = 28, kImagePixels = 784;
/// Side of the image that reaches the loss: the second pool drops the last row and column of conv2's output,
/// hence the last two of conv1's and of the image.
inline constexpr int kUsedSide = 26, kUsedPixels = 676;
inline constexpr int kNumClasses = 10;

}  // namespace dpx::cuda
