#pragma once
// LeNet of the chapter: its parameter table, sizes and initial values. One flat fp32 buffer holds all
// parameters. Shapes at width w: images (n,1,28,28); conv1 3x3 -> (n,20w,26,26); ReLU, avgpool 2 ->
// (n,20w,13,13); conv2 5x5 -> (n,50w,9,9); ReLU, avgpool 2 (floor) -> (n,50w,4,4); fc1 -> (n,128w), ReLU; fc2
// -> (n,10).
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/core/range.hpp"

namespace dpx {

struct ParamTensor {
  std::string_view name;
  std::vector<int> shape;  ///< row-major
  Range elements;          ///< place in the flat buffer
};

/// Sizes of LeNet at width factor `width` (>= 1; 1 is the chapter's model).
class LeNet {
 public:
  static constexpr int kImageSide = 28, kPixels = 784, kClasses = 10;
  enum Tensor { conv1_w, conv1_b, conv2_w, conv2_b, fc1_w, fc1_b, fc2_w, fc2_b, kNumTensors };

  explicit LeNet(int width = 1);
  int width() const { return width_; }
  int conv1_channels() const { return 20 * width_; }
  int conv2_channels() const { return 50 * width_; }
  int flat() const { return 800 * width_; }
  int hidden() const { return 128 * width_; }
  /// conv1_w (20w,1,3,3), conv1_b (20w), conv2_w (50w,20w,5,5), conv2_b (50w), fc1_w (800w,128w), fc1_b
  /// (128w), fc2_w (128w,10), fc2_b (10), back to back without padding.
  const std::vector<ParamTensor>& tensors() const { return tensors_; }
  Range range(Tensor t) const { return tensors_[t].elements; }
  std::size_t num_params() const { return tensors_.back().elements.end(); }
  /// Multiply-adds per example on the textbook shapes: forward, and forward + backward (conv1 needs no input
  /// gradient).
  std::int64_t forward_macs() const;
  std::int64_t training_macs() const;

 private:
  int width_;
  std::vector<ParamTensor> tensors_;
};

/// Weights N(0,1) * 0.01, biases 0: `num_params()` values that depend on `seed` and the position only.
std::vector<float> initial_params(const LeNet& model, std::uint64_t seed);

}  // namespace dpx
