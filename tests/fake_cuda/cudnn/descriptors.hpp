#pragma once
// What cuDNN's opaque handles hold here. NCHW and fp32 only: anything else is refused as not supported.
#include <cudnn.h>

#include <memory>

#include "tests/fake_cuda/runtime/library.hpp"

struct cudnnContext {
  int device;
  cudaStream_t stream;  ///< null: the default stream, which the double refuses when work comes
};
struct cudnnTensorStruct {
  int n = 0, c = 0, h = 0, w = 0;
  std::size_t count() const { return std::size_t(n) * c * h * w; }
  bool operator==(const cudnnTensorStruct&) const = default;
};
struct cudnnFilterStruct {
  int k = 0, c = 0, h = 0, w = 0;
  std::size_t count() const { return std::size_t(k) * c * h * w; }
};
struct cudnnConvolutionStruct {
  int pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  int window_h = 0, window_w = 0, pad_h = 0, pad_w = 0, stride_h = 0, stride_w = 0;
};

namespace fake {

template <class Body>
cudnnStatus_t cudnn_call(const char* function, Body body) {
  return library_call(function, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_EXECUTION_FAILED, body);
}

inline void require_shape(bool holds) {
  require_else(holds, CUDNN_STATUS_BAD_PARAM);
}

/// The stream of work on `handle`. Errors: another device is current than the handle's.
inline Stream& stream_of(cudnnHandle_t handle, const char* function) {
  require_else(handle != nullptr && handle->device == current_device(), CUDNN_STATUS_BAD_PARAM);
  return stream_of(handle->stream, function);
}

/// result = alpha * values + beta * result; `result` is not read when beta is 0.
inline void blend(float alpha, const float* values, float beta, float* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) result[i] = alpha * values[i] + (beta == 0 ? 0 : beta * result[i]);
}

inline float scalar(const void* p) {
  return *static_cast<const float*>(p);
}

}  // namespace fake
