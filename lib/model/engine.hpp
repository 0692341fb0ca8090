#pragma once
// ModelEngine: LeNet's forward and backward pass on one device. Backend: opens devices and makes engines for
// them.
#include <string>
#include <string_view>
#include <vector>

#include "lib/device/device.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {

/// One rank's part of a batch: rows `order` of a data set that is resident on the device.
struct Shard {
  Slice images;  ///< (N,28,28), u8 (scaled by 1/255 in the engine) or f32 (used as is)
  Slice labels;  ///< (N), u8, 0..9
  Slice order;   ///< (n), i32, row numbers
  std::size_t size() const { return order.count; }
};

/// Per-example results, (n) each, in the shard's order. Never summed on the device, so that totals do not
/// depend on how a batch was split.
struct Scores {
  Slice losses;   ///< f32, cross-entropy
  Slice correct;  ///< u8, 1 where the largest logit is the label's
};

/// Time that an engine spent in one of its phases since it was made.
struct PhaseTime {
  std::string_view name;
  double time_s;
};

/// One model on one device. Async: calls only enqueue on `stream`, a stream of the engine's device.
class ModelEngine {
 public:
  virtual ~ModelEngine() = default;
  virtual std::string name() const = 0;
  /// Gradient of the *sum* of the shard's losses. Shapes: params, grads (num_params), f32; grads is
  /// overwritten. An empty shard gives a zero gradient. Source: chapter, five steps of data parallelism.
  virtual void forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                                Scores scores) = 0;
  /// Gives the next replay of recorded work of forward_backward, on a shard of this size, other examples.
  /// Nothing to do for engines whose work is never replayed.
  virtual void rebind(Stream&, const Shard&, Scores) {}
  /// Forward pass only.
  virtual void evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) = 0;
  /// Read only while the device is synchronised. The phase "load" is gathering and normalising images;
  /// phases of the forward pass end in "_forward". None where the engine keeps no times.
  virtual std::vector<PhaseTime> phases() const = 0;
};

}  // namespace dpx
