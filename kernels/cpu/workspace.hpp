#pragma once
// All memory that one worker computes in; made once, so that a step allocates nothing.
#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/lenet_layout.hpp"
#include "kernels/cpu/phase_clock.hpp"
#include "lib/model/lenet.hpp"

namespace dpx::cpu {

/// Zeroed array, aligned for every vector length.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count);
  T* data() { return data_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
};

/// The same array for each of several groups of 16 examples, `stride` elements apart.
template <class T>
class PerGroup {
 public:
  PerGroup(int groups, std::size_t per_group) : stride_(per_group), data_(groups * per_group + kLanes) {}
  T* operator[](int group) { return data_.data() + std::size_t(group) * stride_; }
  std::size_t stride() const { return stride_; }

 private:
  std::size_t stride_;
  Array<T> data_;
};

/// Activations and gradients of a block, what fc1's weight gradient keeps of a whole micro-shard, and the
/// lane accumulators of a micro-shard. Every line is 16 floats; see kernels/cpu/lenet_layout.hpp.
struct Workspace {
  explicit Workspace(const LeNet& model);

  PerGroup<float> images;         ///< (28,28,16)
  PerGroup<float> labels;         ///< (16), -1 in unused lanes
  PerGroup<float> pool1;          ///< (20w,12,12,16)
  PerGroup<std::uint8_t> masks1;  ///< of pool1's windows
  PerGroup<float> pool2;          ///< (50w,4,4,16), all groups of a micro-shard
  PerGroup<std::uint8_t> masks2;  ///< of pool2's windows
  PerGroup<float> hidden;         ///< (128w,16)
  PerGroup<float> dhidden;        ///< (128w,16)
  PerGroup<float> dpool2;         ///< (50w,4,4,16)
  PerGroup<float> dconv2;         ///< (50w,8,8,16)
  Array<float> dpool1;            ///< (20w,12,12,16), one group
  Array<float> dhidden_rows;      ///< (64,128w)

  /// Lane accumulators of each parameter tensor, by LeNet::Tensor: (shape of the tensor,16), but
  /// (5,20w,5,5,16) for conv2_w, which is reduced tile by tile, and none for fc1_w, whose gradient needs no
  /// sum over lanes.
  std::vector<Array<float>> lines;

  PhaseClock clock;
};

}  // namespace dpx::cpu
