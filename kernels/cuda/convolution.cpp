#include "kernels/cuda/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dpx::cuda {
namespace {

constexpr float kOne = 1.0f, kZero = 0.0f;

void set(const TensorDescriptor& tensor, int n, int channels, int side) {
  DPX_CHECK(
      cudnnSetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, channels, side, side));
}

cudnnMathType_t math_of(bool tf32) {
  return tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH;
}

template <class Perf>
using Proposals = std::array<Perf, 10>;  // more than cuDNN has algorithms

}  // namespace

std::string describe(const ConvolutionAlgorithms& a, bool input_gradient) {
  return fmt::format("fwd {}{}, weights {}", int(a.forward),
                     input_gradient ? fmt::format(", data {}", int(a.backward_data)) : "",
                     int(a.backward_weights));
}

Convolution::Convolution(cudnnHandle_t handle, const ConvolutionShape& s, bool tf32)
    : handle_(handle), tf32_(tf32) {
  set(x_, s.n, s.in, s.side);
  set(y_, s.n, s.out, s.out_side());
  DPX_CHECK(cudnnSetFilter4dDescriptor(w_.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, s.out, s.in, s.kernel,
                                       s.kernel));
  DPX_CHECK(cudnnSetConvolution2dDescriptor(convolution_.get(), 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_FLOAT));
  DPX_CHECK(cudnnSetConvolutionMathType(convolution_.get(), math_of(tf32)));
}

ConvolutionAlgorithms Convolution::choose(bool input_gradient, std::size_t limit) const {
  ConvolutionAlgorithms chosen;
  int found = 0;
  Proposals<cudnnConvolutionFwdAlgoPerf_t> forward;
  DPX_CHECK(cudnnGetConvolutionForwardAlgorithm_v7(handle_, x_.get(), w_.get(), convolution_.get(), y_.get(),
                                                   int(forward.size()), &found, forward.data()));
  const cudnnMathType_t math = math_of(tf32_);
  const auto first = [&](const auto& all) { return std::span(all).first(std::size_t(found)); };
  chosen.forward = pick(first(forward), math, limit, chosen.forward);
  Proposals<cudnnConvolutionBwdFilterAlgoPerf_t> weights;
  DPX_CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle_, x_.get(), y_.get(), convolution_.get(),
                                                          w_.get(), int(weights.size()), &found,
                                                          weights.data()));
  chosen.backward_weights = pick(first(weights), math, limit, chosen.backward_weights);
  if (!input_gradient) return chosen;
  Proposals<cudnnConvolutionBwdDataAlgoPerf_t> data;
  DPX_CHECK(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle_, w_.get(), y_.get(), convolution_.get(),
                                                        x_.get(), int(data.size()), &found, data.data()));
  chosen.backward_data = pick(first(data), math, limit, chosen.backward_data);
  return chosen;
}

std::size_t Convolution::use(const ConvolutionAlgorithms& algorithms, bool input_gradient) {
  algorithms_ = algorithms;
  std::size_t forward = 0, data = 0, weights = 0;
  DPX_CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle_, x_.get(), w_.get(), convolution_.get(), y_.get(),
                                                    algorithms.forward, &forward));
  DPX_CHECK(cudnnGetConvolutionBackwardFilterWorkspaceSize(handle_, x_.get(), y_.get(), convolution_.get(),
                                                           w_.get(), algorithms.backward_weights, &weights));
  if (input_gradient)
    DPX_CHECK(cudnnGetConvolutionBackwardDataWorkspaceSize(handle_, w_.get(), y_.get(), convolution_.get(),
                                                           x_.get(), algorithms.backward_data, &data));
  return std::max({forward, data, weights});
}

void Convolution::forward(const float* x, const float* w, float* y, Workspace workspace) const {
  DPX_CHECK(cudnnConvolutionForward(handle_, &kOne, x_.get(), x, w_.get(), w, convolution_.get(),
                                    algorithms_.forward, workspace.data, workspace.bytes, &kZero, y_.get(),
                                    y));
}

void Convolution::backward_data(const float* dy, const float* w, float* dx, Workspace workspace) const {
  DPX_CHECK(cudnnConvolutionBackwardData(handle_, &kOne, w_.get(), w, y_.get(), dy, convolution_.get(),
                                         algorithms_.backward_data, workspace.data, workspace.bytes, &kZero,
                                         x_.get(), dx));
}

void Convolution::backward_weights(const float* x, const float* dy, float* dw, Workspace workspace) const {
  DPX_CHECK(cudnnConvolutionBackwardFilter(handle_, &kOne, x_.get(), x, y_.get(), dy, convolution_.get(),
                                           algorithms_.backward_weights, workspace.data, workspace.bytes,
                                           &kZero, w_.get(), dw));
}

AveragePool::AveragePool(cudnnHandle_t handle, int n, int channels, int side) : handle_(handle) {
  set(x_, n, channels, side);
  set(y_, n, channels, side / 2);
  DPX_CHECK(cudnnSetPooling2dDescriptor(pooling_.get(), CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                        CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
}

void AveragePool::forward(const float* x, float* y) const {
  DPX_CHECK(cudnnPoolingForward(handle_, pooling_.get(), &kOne, x_.get(), x, &kZero, y_.get(), y));
}

void AveragePool::backward(const float* x, const float* y, const float* dy, float* dx) const {
  DPX_CHECK(cudnnPoolingBackward(handle_, pooling_.get(), &kOne, y_.get(), y, y_.get(), dy, x_.get(), x,
                                 &kZero, x_.get(), dx));
}

}  // namespace dpx::cuda
