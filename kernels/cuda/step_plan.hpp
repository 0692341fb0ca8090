#pragma once
// StepPlan: LeNet's forward and backward pass at one shard size as a fixed list of library calls and
// launches.
#include <memory>
#include <string>

#include "kernels/cuda/activations.hpp"
#include "kernels/cuda/matmul.hpp"
#include "lib/device/slice.hpp"

namespace dpx::cuda {

/// What the plans of an engine share.
struct PlanContext {
  cudnnHandle_t cudnn;
  cublasLtHandle_t blas;
  const LeNet& model;
  const Activations& activations;
  Workspace workspace;
  bool tf32;
};

/// Calls enqueue on `stream`, which `context.cudnn` must be set to, and may be captured after a first run.
class StepPlan {
 public:
  /// Errors: Exit::unavailable where cuDNN needs more workspace than there is.
  StepPlan(const PlanContext& context, int n);
  /// Losses and hits of the shard; with `gradients` also dlogits.
  void forward(cudaStream_t stream, DType pixels, const float* params, bool gradients);
  /// After forward: all of `grads` is written.
  void backward(cudaStream_t stream, const float* params, float* grads);
  /// "conv1 fwd 1, weights 1; conv2 fwd 1, data 1, weights 1": cuDNN's algorithms.
  std::string algorithms() const;

 private:
  void make_products(const float* params, float* grads);
  const float* at(const float* params, LeNet::Tensor t) const {
    return params + context_.model.range(t).first;
  }
  float* at(float* grads, LeNet::Tensor t) const { return grads + context_.model.range(t).first; }

  const PlanContext& context_;
  const int n_;
  Convolution conv1_, conv2_;
  AveragePool pool1_, pool2_;
  ConvolutionAlgorithms algorithms1_, algorithms2_;
  std::unique_ptr<Matmul> fc1_, fc2_;                                     ///< forward
  std::unique_ptr<Matmul> fc2_weights_, dhidden_, fc1_weights_, dpool2_;  ///< backward
};

}  // namespace dpx::cuda
