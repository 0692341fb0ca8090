// Handles and descriptors.
#include "tests/fake_cuda/cudnn/descriptors.hpp"

using namespace fake;

namespace {

template <class Struct>
cudnnStatus_t create(const char* function, Struct** descriptor) {
  return cudnn_call(function, [&] { *descriptor = new Struct; });
}

template <class Struct>
cudnnStatus_t destroy(const char* function, Struct* descriptor) {
  return cudnn_call(function, [&] { delete descriptor; });
}

void require_supported(cudnnTensorFormat_t format, cudnnDataType_t type) {
  require_else(format == CUDNN_TENSOR_NCHW, CUDNN_STATUS_NOT_SUPPORTED_LAYOUT);
  require_else(type == CUDNN_DATA_FLOAT, CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}
size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_LAYOUT:
      return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT";
    case CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE:
      return "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
  if (max_size > 0) message[0] = '\0';
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return library_call("cudnnCreate", CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_INITIALIZED, [&] {
    require_no_capture();
    *handle = new cudnnContext{current_device(), nullptr};
  });
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return destroy("cudnnDestroy", handle);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return cudnn_call("cudnnSetStream", [&] {
    require_shape(handle && stream_of(stream, "cudnnSetStream").device == handle->device);
    handle->stream = stream;
  });
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) {
  return create("cudnnCreateTensorDescriptor", d);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  return destroy("cudnnDestroyTensorDescriptor", d);
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return cudnn_call("cudnnSetTensor4dDescriptor", [&] {
    require_supported(format, type);
    require_shape(d && n > 0 && c > 0 && h > 0 && w > 0);
    *d = {n, c, h, w};
  });
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* d) {
  return create("cudnnCreateFilterDescriptor", d);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) {
  return destroy("cudnnDestroyFilterDescriptor", d);
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return cudnn_call("cudnnSetFilter4dDescriptor", [&] {
    require_supported(format, type);
    require_shape(d && k > 0 && c > 0 && h > 0 && w > 0);
    *d = {k, c, h, w};
  });
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* d) {
  return create("cudnnCreateConvolutionDescriptor", d);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) {
  return destroy("cudnnDestroyConvolutionDescriptor", d);
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
  return cudnn_call("cudnnSetConvolution2dDescriptor", [&] {
    require_shape(d && pad_h >= 0 && pad_w >= 0 && stride_h > 0 && stride_w > 0);
    require_else(
        dilation_h == 1 && dilation_w == 1 && mode == CUDNN_CROSS_CORRELATION && compute == CUDNN_DATA_FLOAT,
        CUDNN_STATUS_NOT_SUPPORTED);
    *d = {pad_h, pad_w, stride_h, stride_w, d->math};
  });
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) {
  return cudnn_call("cudnnSetConvolutionMathType", [&] { d->math = math; });
}

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* d) {
  return create("cudnnCreatePoolingDescriptor", d);
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t d) {
  return destroy("cudnnDestroyPoolingDescriptor", d);
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t d, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t, int window_h, int window_w, int pad_h,
                                          int pad_w, int stride_h, int stride_w) {
  return cudnn_call("cudnnSetPooling2dDescriptor", [&] {
    require_shape(d && window_h > 0 && window_w > 0 && pad_h >= 0 && pad_w >= 0 && stride_h > 0 &&
                  stride_w > 0);
    require_else(mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING ||
                     mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                 CUDNN_STATUS_NOT_SUPPORTED);
    *d = {mode, window_h, window_w, pad_h, pad_w, stride_h, stride_w};
  });
}

}  // extern "C"
