// Average pooling, and the bias gradient.
#include <algorithm>

#include "tests/fake_cuda/cudnn/descriptors.hpp"

using namespace fake;

namespace {

/// Calls visit(output index, input index, share of that input in the output).
template <class Visit>
void for_each_pair(const cudnnPoolingStruct& pool, const cudnnTensorStruct& x, const cudnnTensorStruct& y,
                   Visit visit) {
  std::size_t out = 0;
  for (int image = 0; image < x.n * x.c; ++image)
    for (int p = 0; p < y.h; ++p)
      for (int q = 0; q < y.w; ++q, ++out) {
        const int top = p * pool.stride_h - pool.pad_h, left = q * pool.stride_w - pool.pad_w;
        const int r0 = std::max(top, 0), r1 = std::min(top + pool.window_h, x.h);
        const int c0 = std::max(left, 0), c1 = std::min(left + pool.window_w, x.w);
        const bool exclude = pool.mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
        const float share = 1.0f / float(exclude ? (r1 - r0) * (c1 - c0) : pool.window_h * pool.window_w);
        for (int r = r0; r < r1; ++r)
          for (int c = c0; c < c1; ++c) visit(out, (std::size_t(image) * x.h + r) * x.w + c, share);
      }
}

void require_pooled(const cudnnPoolingStruct& pool, const cudnnTensorStruct& x, const cudnnTensorStruct& y) {
  require_shape(x.n == y.n && x.c == y.c &&
                y.h == (x.h + 2 * pool.pad_h - pool.window_h) / pool.stride_h + 1 &&
                y.w == (x.w + 2 * pool.pad_w - pool.window_w) / pool.stride_w + 1);
}

std::size_t bytes(const cudnnTensorStruct& tensor) {
  return tensor.count() * sizeof(float);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, cudnnPoolingDescriptor_t pool_desc, const void* alpha,
                                  cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                  cudnnTensorDescriptor_t y_desc, void* y) {
  return cudnn_call("cudnnPoolingForward", [&] {
    require_pooled(*pool_desc, *x_desc, *y_desc);
    Stream& stream = stream_of(handle, "cudnnPoolingForward");
    scheduler().issue(
        stream,
        library_kernel(
            "cudnnPoolingForward", stream, {{x, bytes(*x_desc), false}, {y, bytes(*y_desc), true}}, 3e-6,
            [=, pool = *pool_desc, in = *x_desc, out = *y_desc, a = scalar(alpha), b = scalar(beta)] {
              std::vector<float> result(out.count());
              for_each_pair(pool, in, out, [&](std::size_t o, std::size_t i, float share) {
                result[o] += share * static_cast<const float*>(x)[i];
              });
              blend(a, result.data(), b, static_cast<float*>(y), result.size());
            }));
  });
}

cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, cudnnPoolingDescriptor_t pool_desc,
                                   const void* alpha, cudnnTensorDescriptor_t y_desc, const void* y,
                                   cudnnTensorDescriptor_t dy_desc, const void* dy,
                                   cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                   cudnnTensorDescriptor_t dx_desc, void* dx) {
  return cudnn_call("cudnnPoolingBackward", [&] {
    require_pooled(*pool_desc, *x_desc, *y_desc);
    require_shape(*dy_desc == *y_desc && *dx_desc == *x_desc);
    Stream& stream = stream_of(handle, "cudnnPoolingBackward");
    scheduler().issue(
        stream,
        library_kernel(
            "cudnnPoolingBackward", stream,
            {{x, bytes(*x_desc), false},
             {y, bytes(*y_desc), false},
             {dy, bytes(*dy_desc), false},
             {dx, bytes(*dx_desc), true}},
            3e-6, [=, pool = *pool_desc, in = *x_desc, out = *y_desc, a = scalar(alpha), b = scalar(beta)] {
              std::vector<float> result(in.count());
              for_each_pair(pool, in, out, [&](std::size_t o, std::size_t i, float share) {
                result[i] += share * static_cast<const float*>(dy)[o];
              });
              blend(a, result.data(), b, static_cast<float*>(dx), result.size());
            }));
  });
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void* alpha,
                                           cudnnTensorDescriptor_t dy_desc, const void* dy, const void* beta,
                                           cudnnTensorDescriptor_t db_desc, void* db) {
  return cudnn_call("cudnnConvolutionBackwardBias", [&] {
    require_shape(*db_desc == (cudnnTensorStruct{1, dy_desc->c, 1, 1}));
    Stream& stream = stream_of(handle, "cudnnConvolutionBackwardBias");
    scheduler().issue(stream,
                      library_kernel("cudnnConvolutionBackwardBias", stream,
                                     {{dy, bytes(*dy_desc), false}, {db, bytes(*db_desc), true}}, 3e-6,
                                     [=, shape = *dy_desc, a = scalar(alpha), b = scalar(beta)] {
                                       std::vector<double> sums(std::size_t(shape.c));
                                       const std::size_t cells = std::size_t(shape.h) * shape.w;
                                       for (std::size_t i = 0; i < shape.count(); ++i)
                                         sums[i / cells % sums.size()] += static_cast<const float*>(dy)[i];
                                       const std::vector<float> result(sums.begin(), sums.end());
                                       blend(a, result.data(), b, static_cast<float*>(db), result.size());
                                     }));
  });
}

}  // extern "C"
