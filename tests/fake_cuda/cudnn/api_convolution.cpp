// Convolutions: choice of algorithms, workspaces, the three passes.
#include <algorithm>
#include <cstring>

#include "tests/fake_cuda/cudnn/convolution.hpp"
#include "tests/fake_cuda/cudnn/descriptors.hpp"

using namespace fake;

namespace {

ConvolutionShape shape_of(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                          cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t y) {
  require_shape(x && w && c && y && x->c == w->c && y->n == x->n && y->c == w->k);
  require_shape(y->h == (x->h + 2 * c->pad_h - w->h) / c->stride_h + 1 &&
                y->w == (x->w + 2 * c->pad_w - w->w) / c->stride_w + 1);
  return {x->n, x->c, x->h, x->w, w->k, w->h, w->w, y->h, y->w, c->pad_h, c->pad_w, c->stride_h, c->stride_w};
}

/// Algorithm 0 of each pass needs none; sizes of the others are made up, and distinct.
std::size_t workspace_of(int algorithm, const ConvolutionShape& shape) {
  return std::size_t(algorithm) * 256 * std::size_t(shape.k);
}

/// Which algorithms exist here, the order in which the library would recommend them, and which repeat their
/// results: those that do not stand first, so that a program must choose.
struct Algorithm {
  int number;
  bool deterministic;
};
constexpr Algorithm kForward[] = {{CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, true},
                                  {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, true}};
constexpr Algorithm kBackwardData[] = {{CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, false},
                                       {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, true}};
constexpr Algorithm kBackwardFilter[] = {{CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, false},
                                         {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, false},
                                         {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, true}};

template <std::size_t N>
const Algorithm& find(const Algorithm (&all)[N], int number) {
  const auto* found = std::find_if(all, all + N, [&](const Algorithm& a) { return a.number == number; });
  require_else(found != all + N, CUDNN_STATUS_NOT_SUPPORTED);
  return *found;
}

template <class Perf, std::size_t N>
void recommend(const Algorithm (&all)[N], const ConvolutionShape& shape, cudnnMathType_t math, int requested,
               int* returned, Perf* results) {
  require_shape(requested > 0 && returned && results);
  *returned = std::min(requested, static_cast<int>(N));
  for (int i = 0; i < *returned; ++i) {
    results[i] = {};
    results[i].algo = static_cast<decltype(results[i].algo)>(all[i].number);
    results[i].status = CUDNN_STATUS_SUCCESS;
    results[i].time = -1;  // as the real heuristics, which measure nothing
    results[i].memory = workspace_of(all[i].number, shape);
    results[i].determinism = all[i].deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    results[i].mathType = math;
  }
}

/// What a pass reads and writes, beside the workspace that its algorithm needs.
std::vector<Touched> touched_by(const ConvolutionShape& shape, int algorithm, void* workspace,
                                std::size_t given, std::vector<Touched> touched) {
  const std::size_t needed = workspace_of(algorithm, shape);
  require_shape(given >= needed && (workspace || !needed));
  if (needed) touched.push_back({workspace, needed, true});
  return touched;
}

double seconds(const ConvolutionShape& shape) {
  constexpr double kMac_s = 1e-14, kLaunch_s = 3e-6;
  return kLaunch_s +
         double(shape.n) * double(shape.k) * double(shape.taps()) * double(shape.cells()) * kMac_s;
}

std::size_t bytes(std::size_t count) {
  return count * sizeof(float);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t x,
                                                    cudnnFilterDescriptor_t w, int* n, int* k, int* p,
                                                    int* q) {
  return cudnn_call("cudnnGetConvolution2dForwardOutputDim", [&] {
    require_shape(x->c == w->c);
    *n = x->n;
    *k = w->k;
    *p = (x->h + 2 * c->pad_h - w->h) / c->stride_h + 1;
    *q = (x->w + 2 * c->pad_w - w->w) / c->stride_w + 1;
  });
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t c,
                                                     cudnnTensorDescriptor_t y, int requested, int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return cudnn_call("cudnnGetConvolutionForwardAlgorithm_v7", [&] {
    recommend(kForward, shape_of(x, w, c, y), c->math, requested, returned, results);
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t c,
    cudnnTensorDescriptor_t dx, int requested, int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return cudnn_call("cudnnGetConvolutionBackwardDataAlgorithm_v7", [&] {
    recommend(kBackwardData, shape_of(dx, w, c, dy), c->math, requested, returned, results);
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t c,
    cudnnFilterDescriptor_t dw, int requested, int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return cudnn_call("cudnnGetConvolutionBackwardFilterAlgorithm_v7", [&] {
    recommend(kBackwardFilter, shape_of(x, dw, c, dy), c->math, requested, returned, results);
  });
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w,
                                                      cudnnConvolutionDescriptor_t c,
                                                      cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm, size_t* size) {
  return cudnn_call("cudnnGetConvolutionForwardWorkspaceSize",
                    [&] { *size = workspace_of(find(kForward, algorithm).number, shape_of(x, w, c, y)); });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t c,
    cudnnTensorDescriptor_t dx, cudnnConvolutionBwdDataAlgo_t algorithm, size_t* size) {
  return cudnn_call("cudnnGetConvolutionBackwardDataWorkspaceSize", [&] {
    *size = workspace_of(find(kBackwardData, algorithm).number, shape_of(dx, w, c, dy));
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t c,
    cudnnFilterDescriptor_t dw, cudnnConvolutionBwdFilterAlgo_t algorithm, size_t* size) {
  return cudnn_call("cudnnGetConvolutionBackwardFilterWorkspaceSize", [&] {
    *size = workspace_of(find(kBackwardFilter, algorithm).number, shape_of(x, dw, c, dy));
  });
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_desc,
                                      const void* x, cudnnFilterDescriptor_t w_desc, const void* w,
                                      cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace, size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_desc, void* y) {
  return cudnn_call("cudnnConvolutionForward", [&] {
    const ConvolutionShape shape = shape_of(x_desc, w_desc, c, y_desc);
    Stream& stream = stream_of(handle, "cudnnConvolutionForward");
    const std::size_t count = y_desc->count();
    auto touched = touched_by(
        shape, find(kForward, algorithm).number, workspace, workspace_bytes,
        {{x, bytes(x_desc->count()), false}, {w, bytes(w_desc->count()), false}, {y, bytes(count), true}});
    scheduler().issue(stream, library_kernel("cudnnConvolutionForward", stream, std::move(touched),
                                             seconds(shape), [=, a = scalar(alpha), b = scalar(beta)] {
                                               std::vector<float> result(count);
                                               convolve(shape, static_cast<const float*>(x),
                                                        static_cast<const float*>(w), result.data());
                                               blend(a, result.data(), b, static_cast<float*>(y), count);
                                             }));
  });
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t w_desc, const void* w,
                                           cudnnTensorDescriptor_t dy_desc, const void* dy,
                                           cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           size_t workspace_bytes, const void* beta,
                                           cudnnTensorDescriptor_t dx_desc, void* dx) {
  return cudnn_call("cudnnConvolutionBackwardData", [&] {
    const ConvolutionShape shape = shape_of(dx_desc, w_desc, c, dy_desc);
    Stream& stream = stream_of(handle, "cudnnConvolutionBackwardData");
    const std::size_t count = dx_desc->count();
    auto touched = touched_by(
        shape, find(kBackwardData, algorithm).number, workspace, workspace_bytes,
        {{w, bytes(w_desc->count()), false}, {dy, bytes(dy_desc->count()), false}, {dx, bytes(count), true}});
    scheduler().issue(stream, library_kernel("cudnnConvolutionBackwardData", stream, std::move(touched),
                                             seconds(shape), [=, a = scalar(alpha), b = scalar(beta)] {
                                               std::vector<float> result(count);
                                               convolve_backward_data(shape, static_cast<const float*>(w),
                                                                      static_cast<const float*>(dy),
                                                                      result.data());
                                               blend(a, result.data(), b, static_cast<float*>(dx), count);
                                             }));
  });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             cudnnTensorDescriptor_t x_desc, const void* x,
                                             cudnnTensorDescriptor_t dy_desc, const void* dy,
                                             cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                             size_t workspace_bytes, const void* beta,
                                             cudnnFilterDescriptor_t dw_desc, void* dw) {
  return cudnn_call("cudnnConvolutionBackwardFilter", [&] {
    const ConvolutionShape shape = shape_of(x_desc, dw_desc, c, dy_desc);
    Stream& stream = stream_of(handle, "cudnnConvolutionBackwardFilter");
    const Algorithm& chosen = find(kBackwardFilter, algorithm);
    const std::size_t count = dw_desc->count();
    auto touched = touched_by(
        shape, chosen.number, workspace, workspace_bytes,
        {{x, bytes(x_desc->count()), false}, {dy, bytes(dy_desc->count()), false}, {dw, bytes(count), true}});
    scheduler().issue(
        stream, library_kernel("cudnnConvolutionBackwardFilter", stream, std::move(touched), seconds(shape),
                               [=, a = scalar(alpha), b = scalar(beta), repeats = chosen.deterministic] {
                                 static std::size_t calls = 0;
                                 std::vector<float> result(count);
                                 convolve_backward_filter(shape, static_cast<const float*>(x),
                                                          static_cast<const float*>(dy), result.data(),
                                                          repeats ? 0 : ++calls);
                                 blend(a, result.data(), b, static_cast<float*>(dw), count);
                               }));
  });
}

}  // extern "C"
