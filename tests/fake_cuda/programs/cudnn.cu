// Convolutions and pooling against plain loops, on a shape with padding, stride and unequal sides. `--time`
// repeats LeNet's second convolution at 64 examples instead; `--small-workspace`, `--other-device`: wrong
// use.
#include <cudnn.h>

#include <chrono>

#include "tests/fake_cuda/programs/library.hpp"

#define DNN_CHECK(call) dnn_check(call, #call, __LINE__)

namespace {

void dnn_check(cudnnStatus_t status, const char* call, int line) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::printf("line %d: %s: %s\n", line, call, cudnnGetErrorString(status));
  std::exit(3);
}

/// Shapes: x (n,c,h,w); w (k,c,r,s); y (n,k,p,q).
struct Shape {
  int n, c, h, w, k, r, s, pad, stride;
  int p() const { return (h + 2 * pad - r) / stride + 1; }
  int q() const { return (w + 2 * pad - s) / stride + 1; }
};

/// Calls visit(index in x, index in w, index in y) for every product of the convolution.
template <class Visit>
void for_each_product(const Shape& z, Visit visit) {
  for (int n = 0; n < z.n; ++n)
    for (int k = 0; k < z.k; ++k)
      for (int p = 0; p < z.p(); ++p)
        for (int q = 0; q < z.q(); ++q)
          for (int c = 0; c < z.c; ++c)
            for (int r = 0; r < z.r; ++r)
              for (int s = 0; s < z.s; ++s) {
                const int row = p * z.stride + r - z.pad, column = q * z.stride + s - z.pad;
                if (row < 0 || row >= z.h || column < 0 || column >= z.w) continue;
                visit(((n * z.c + c) * z.h + row) * z.w + column, ((k * z.c + c) * z.r + r) * z.s + s,
                      ((n * z.k + k) * z.p() + p) * z.q() + q);
              }
}

class Convolution {
 public:
  Convolution(const Shape& shape, cudnnHandle_t handle)
      : x(std::size_t(shape.n) * shape.c * shape.h * shape.w, 1),
        w(std::size_t(shape.k) * shape.c * shape.r * shape.s, 2),
        y(std::size_t(shape.n) * shape.k * shape.p() * shape.q(), 3),
        handle_(handle) {
    DNN_CHECK(cudnnCreateTensorDescriptor(&x_));
    DNN_CHECK(cudnnCreateTensorDescriptor(&y_));
    DNN_CHECK(cudnnCreateFilterDescriptor(&w_));
    DNN_CHECK(cudnnCreateConvolutionDescriptor(&c_));
    DNN_CHECK(cudnnSetTensor4dDescriptor(x_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, shape.n, shape.c, shape.h,
                                         shape.w));
    DNN_CHECK(cudnnSetTensor4dDescriptor(y_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, shape.n, shape.k, shape.p(),
                                         shape.q()));
    DNN_CHECK(cudnnSetFilter4dDescriptor(w_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, shape.k, shape.c, shape.r,
                                         shape.s));
    DNN_CHECK(cudnnSetConvolution2dDescriptor(c_, shape.pad, shape.pad, shape.stride, shape.stride, 1, 1,
                                              CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    cudnnConvolutionBwdFilterAlgoPerf_t found[3];
    int count = 0;
    DNN_CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x_, y_, c_, w_, 3, &count, found));
    for (int i = count - 1; i >= 0; --i)
      if (found[i].determinism == CUDNN_DETERMINISTIC) algorithm_ = found[i].algo, bytes_ = found[i].memory;
    workspace_ = make_floats(0, int(bytes_ / sizeof(float)) + 1);
  }
  void forward() {
    DNN_CHECK(cudnnConvolutionForward(handle_, &one_, x_, x.device, w_, w.device, c_,
                                      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &zero_, y_,
                                      y.device));
  }
  void backward_data() {
    DNN_CHECK(cudnnConvolutionBackwardData(handle_, &one_, w_, w.device, y_, y.device, c_,
                                           CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workspace_, bytes_, &zero_, x_,
                                           x.device));
  }
  void backward_filter(std::size_t bytes_less = 0) {
    DNN_CHECK(cudnnConvolutionBackwardFilter(handle_, &one_, x_, x.device, y_, y.device, c_, algorithm_,
                                             workspace_, bytes_ - bytes_less, &zero_, w_, w.device));
  }
  Numbers x, w, y;

 private:
  cudnnHandle_t handle_;
  cudnnTensorDescriptor_t x_, y_;
  cudnnFilterDescriptor_t w_;
  cudnnConvolutionDescriptor_t c_;
  cudnnConvolutionBwdFilterAlgo_t algorithm_ = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0;
  std::size_t bytes_ = 0;
  float* workspace_;
  const float one_ = 1, zero_ = 0;
};

int check_convolution(cudnnHandle_t handle, cudaStream_t stream) {
  const Shape shape{3, 2, 9, 7, 4, 3, 2, 1, 2};
  int failed = 0;
  for (const char pass : {'y', 'x', 'w'}) {
    Convolution conv(shape, handle);
    Numbers& result = pass == 'y' ? conv.y : pass == 'x' ? conv.x : conv.w;
    std::vector<double> wanted(result.host.size());
    for_each_product(shape, [&](int x, int w, int y) {
      if (pass == 'y') wanted[y] += double(conv.x.host[x]) * conv.w.host[w];
      if (pass == 'x') wanted[x] += double(conv.y.host[y]) * conv.w.host[w];
      if (pass == 'w') wanted[w] += double(conv.y.host[y]) * conv.x.host[x];
    });
    for (Numbers* numbers : {&conv.x, &conv.w, &conv.y}) numbers->upload(stream);
    if (pass == 'y') conv.forward();
    if (pass == 'x') conv.backward_data();
    if (pass == 'w') conv.backward_filter();
    result.download(stream);
    failed += compare(pass == 'y'   ? "forward"
                      : pass == 'x' ? "backward data"
                                    : "backward filter",
                      result.host, wanted);
  }
  return failed;
}

int check_pooling(cudnnHandle_t handle, cudaStream_t stream) {
  constexpr int kImages = 6, kSide = 9, kOut = 4;  // the last row and column of an odd side are dropped
  Numbers x(kImages * kSide * kSide), y(kImages * kOut * kOut), dx(x.host.size());
  cudnnTensorDescriptor_t x_, y_;
  cudnnPoolingDescriptor_t pool;
  const float one = 1, zero = 0;
  DNN_CHECK(cudnnCreateTensorDescriptor(&x_));
  DNN_CHECK(cudnnCreateTensorDescriptor(&y_));
  DNN_CHECK(cudnnCreatePoolingDescriptor(&pool));
  DNN_CHECK(cudnnSetTensor4dDescriptor(x_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, kSide, kSide));
  DNN_CHECK(cudnnSetTensor4dDescriptor(y_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, kOut, kOut));
  DNN_CHECK(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                        CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
  std::vector<double> mean(y.host.size()), spread(x.host.size());
  for (int image = 0; image < kImages; ++image)
    for (int r = 0; r < 2 * kOut; ++r)
      for (int c = 0; c < 2 * kOut; ++c)
        mean[(image * kOut + r / 2) * kOut + c / 2] += x.host[(image * kSide + r) * kSide + c] / 4;
  for (int image = 0; image < kImages; ++image)
    for (int r = 0; r < 2 * kOut; ++r)
      for (int c = 0; c < 2 * kOut; ++c)
        spread[(image * kSide + r) * kSide + c] = mean[(image * kOut + r / 2) * kOut + c / 2] / 4;
  x.upload(stream);
  DNN_CHECK(cudnnPoolingForward(handle, pool, &one, x_, x.device, &zero, y_, y.device));
  DNN_CHECK(cudnnPoolingBackward(handle, pool, &one, y_, y.device, y_, y.device, x_, x.device, &zero, x_,
                                 dx.device));
  y.download(stream);
  dx.download(stream);
  return compare("pooling", y.host, mean) + compare("pooling backward", dx.host, spread);
}

int time_lenet(cudnnHandle_t handle, cudaStream_t stream) {
  Convolution conv({64, 20, 12, 12, 50, 5, 5, 0, 1}, handle);
  for (Numbers* numbers : {&conv.x, &conv.w, &conv.y}) numbers->upload(stream);
  const auto begin = std::chrono::steady_clock::now();
  conv.forward();
  conv.backward_data();
  conv.backward_filter();
  CHECK(cudaStreamSynchronize(stream));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%.3f s\n", passed.count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  const cudaStream_t stream = make_stream(0);
  cudnnHandle_t handle;
  DNN_CHECK(cudnnCreate(&handle));
  DNN_CHECK(cudnnSetStream(handle, stream));
  if (options.has("--time")) return time_lenet(handle, stream);
  if (options.has("--small-workspace")) Convolution({3, 2, 9, 7, 4, 3, 2, 1, 2}, handle).backward_filter(1);
  if (options.has("--other-device")) {
    Convolution conv({3, 2, 9, 7, 4, 3, 2, 1, 2}, handle);
    CHECK(cudaSetDevice(1));
    conv.forward();
  }
  return check_convolution(handle, stream) + check_pooling(handle, stream);
}
