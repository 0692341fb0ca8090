#pragma once
// cuDNN's convolutions and average pooling for LeNet, NCHW fp32. The functions are marked deprecated in cuDNN
// 9 and still there; they are confined to convolution.cpp, algorithms.hpp and pooling.
#include <cudnn.h>

#include <string>

#include "kernels/cuda/algorithms.hpp"
#include "kernels/cuda/handles.hpp"

namespace dpx::cuda {

/// Like Handle, but made by `create`.
template <class T, auto create, auto destroy>
class Descriptor {
 public:
  Descriptor() { DPX_CHECK(create(&value_)); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { DPX_CHECK_QUIET(destroy(value_)); }
  T get() const { return value_; }

 private:
  T value_{};
};

using CudnnHandle = Descriptor<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using TensorDescriptor =
    Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = Descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                                         cudnnDestroyConvolutionDescriptor>;
using PoolingDescriptor =
    Descriptor<cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor, cudnnDestroyPoolingDescriptor>;

/// Valid convolution, stride 1: (n,in,side,side) with (out,in,kernel,kernel) gives (n,out,s,s), s = side -
/// kernel + 1.
struct ConvolutionShape {
  int n, in, side, out, kernel;
  int out_side() const { return side - kernel + 1; }
};

/// Scratch memory that calls on one stream share.
struct Workspace {
  void* data;
  std::size_t bytes;
};

/// One convolution at one batch size. Calls enqueue on the handle's stream.
class Convolution {
 public:
  Convolution(cudnnHandle_t handle, const ConvolutionShape& shape, bool tf32);
  /// Chosen by rule for this shape, see algorithms.hpp. `input_gradient`: whether backward_data is used.
  ConvolutionAlgorithms choose(bool input_gradient, std::size_t workspace_limit) const;
  /// The algorithms to use, perhaps chosen for another batch size. Returns the workspace that they need.
  std::size_t use(const ConvolutionAlgorithms& algorithms, bool input_gradient);
  void forward(const float* x, const float* w, float* y, Workspace workspace) const;
  void backward_data(const float* dy, const float* w, float* dx, Workspace workspace) const;
  void backward_weights(const float* x, const float* dy, float* dw, Workspace workspace) const;

 private:
  cudnnHandle_t handle_;
  bool tf32_;
  TensorDescriptor x_, y_;
  FilterDescriptor w_;
  ConvolutionDescriptor convolution_;
  ConvolutionAlgorithms algorithms_;
};

/// Average over windows of 2x2. Shapes: (n,channels,side,side) -> (n,channels,side/2,side/2); side even.
class AveragePool {
 public:
  AveragePool(cudnnHandle_t handle, int n, int channels, int side);
  void forward(const float* x, float* y) const;
  void backward(const float* x, const float* y, const float* dy, float* dx) const;

 private:
  cudnnHandle_t handle_;
  TensorDescriptor x_, y_;
  PoolingDescriptor pooling_;
};

}  // namespace dpx::cuda
