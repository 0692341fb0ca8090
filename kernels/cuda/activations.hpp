#pragma once
// Device memory of the library engine, one allocation made with the engine.
#include "kernels/cuda/handles.hpp"
#include "kernels/cuda/step_arguments.hpp"
#include "lib/model/lenet.hpp"

namespace dpx::cuda {

/// Only what reaches the loss is computed: a 26x26 image, 24x24 after conv1, 12x12, 8x8 after conv2, 4x4.
/// Shapes for up to `max_shard` examples n: see the members; w is the width.
struct Activations {
  Activations(const LeNet& model, std::size_t max_shard);
  DeviceMemory memory;
  StepArguments* arguments;
  float* x;       ///< (n,1,26,26)
  float* conv1;   ///< (n,20w,24,24), after bias and ReLU
  float* pool1;   ///< (n,20w,12,12)
  float* conv2;   ///< (n,50w,8,8), after bias and ReLU
  float* pool2;   ///< (n,50w,4,4), which is (n,800w)
  float* hidden;  ///< (n,128w), after ReLU
  float* logits;  ///< (n,10)
  float *dconv1, *dpool1, *dconv2, *dpool2, *dhidden, *dlogits;
  float *conv1_sums, *conv2_sums, *hidden_sums, *logit_sums;  ///< (kSumSlices,channels) each
};

inline constexpr int kConv1Side = 24, kPool1Side = 12, kConv2Side = 8, kPool2Side = 4;

}  // namespace dpx::cuda
