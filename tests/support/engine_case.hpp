#pragma once
// Data, parameters and one call of the CPU engine on a device and team of its own.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/model/engine.hpp"

namespace dpx::test {

enum class Init { chapter, he };  ///< N(0,1) * 0.01 and zero biases; N(0, 2/fan_in) and biases N(0, 0.05^2)

struct EngineOutput {
  std::vector<float> grads, losses;
  std::vector<std::uint8_t> correct;
  std::string engine;
  bool operator==(const EngineOutput&) const = default;
};

/// `size` random examples in an order of their own, and parameters.
struct EngineCase {
  EngineCase(int width, std::size_t size, Init init, DType dtype);
  /// Gradient, losses and flags of examples `range` (positions in `order`), by `threads` threads.
  EngineOutput train(Range range, int threads = 1) const;
  /// The same without gradient.
  EngineOutput evaluate(Range range, int threads = 1) const;
  /// The pixels of position `i` in the order, as the engine should see them.
  std::vector<double> image(std::size_t i) const;
  int label(std::size_t i) const { return labels[std::size_t(order[i])]; }

  LeNet model;
  DType dtype;
  std::vector<std::uint8_t> images_u8, labels;
  std::vector<float> images_f32, params;
  std::vector<std::int32_t> order;

 private:
  Shard shard(Range range) const;
};

}  // namespace dpx::test
