#pragma once
// The one entry into the vector code: forward, or forward and backward, of one micro-shard.
#include <cstdint>
#include <span>

#include "kernels/cpu/workspace.hpp"
#include "lib/model/lenet.hpp"

namespace dpx::cpu {

/// At most 64 examples and where their results go.
struct MicroShard {
  const void* images;  ///< (N,28,28)
  bool images_are_u8;  ///< else f32
  const std::uint8_t* labels;
  std::span<const std::int32_t> order;  ///< (n), rows of images and labels
  const float* params;                  ///< (num_params)
  float* grads;                         ///< (num_params), overwritten; null: forward pass only
  float* losses;                        ///< (n)
  std::uint8_t* correct;                ///< (n)
};

/// Gradient of the sum of the losses, every sum in a fixed order: the same bits on every instruction set with
/// fused multiply-add.
void run_micro_shard(const LeNet& model, const MicroShard& shard, Workspace& workspace);

}  // namespace dpx::cpu
