// cuDNN's convolutions and pooling and cuBLASLt's products, as the engine uses them, against float64.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/matmul.hpp"
#include "tests/cuda/on_gpu.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx::test {
namespace {

constexpr std::size_t kWorkspaceBytes = 64 << 20;

class Layers : public GpuTest, public testing::WithParamInterface<bool> {
 protected:
  Layers() : scratch_(cuda::allocate_device(kWorkspaceBytes)) {
    DPX_CHECK(cudnnSetStream(cudnn_.get(), stream()));
  }
  bool tf32() const { return GetParam(); }
  double limit() const { return tf32() ? kTf32Limit : kFp32Limit; }
  cuda::Workspace workspace() const { return {scratch_.get(), kWorkspaceBytes}; }
  OnGpu<float> upload(const std::vector<float>& values) const { return {stream(), values}; }
  OnGpu<float> poisoned(std::size_t count) const { return OnGpu<float>(stream(), count); }
  void expect_convolution(const cuda::ConvolutionShape& shape);
  void expect_products(int n, int in, int out, cuda::Epilogue epilogue);

  cuda::CudnnHandle cudnn_;
  cuda::BlasHandle blas_;

 private:
  cuda::DeviceMemory scratch_;
};

/// Example `i` of n that lie one behind the other.
std::vector<double> example(const std::vector<float>& values, int i, int n) {
  const auto size = std::ptrdiff_t(values.size()) / n;
  return {values.begin() + i * size, values.begin() + (i + 1) * size};
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void Layers::expect_convolution(const cuda::ConvolutionShape& s) {
  const auto in = std::size_t(s.n * s.in * s.side * s.side),
             weights = std::size_t(s.out * s.in * s.kernel * s.kernel),
             out = std::size_t(s.n * s.out * s.out_side() * s.out_side());
  const std::vector<float> x = normal_numbers(in, 40), w = normal_numbers(weights, 41),
                           dy = normal_numbers(out, 42);
  const std::vector<double> w64 = widened(w), no_bias(std::size_t(s.out), 0.0);
  std::vector<double> y64, dx64, dw64(weights, 0.0), db64(std::size_t(s.out), 0.0);
  for (int i = 0; i < s.n; ++i) {
    const Values image = example(x, i, s.n);
    append(y64, convolve(image, s.in, s.side, w64.data(), no_bias.data(), s.out, s.kernel));
    append(dx64, convolve_backward(image, s.in, s.side, w64.data(), example(dy, i, s.n), s.out, s.kernel,
                                   dw64.data(), db64.data()));
  }
  cuda::Convolution convolution(cudnn_.get(), s, tf32());
  ASSERT_LE(convolution.use(convolution.choose(true, kWorkspaceBytes), true), kWorkspaceBytes);
  const auto gpu_x = upload(x), gpu_w = upload(w), gpu_dy = upload(dy), gpu_y = poisoned(out),
             gpu_dx = poisoned(in), gpu_dw = poisoned(weights);
  convolution.forward(gpu_x.data(), gpu_w.data(), gpu_y.data(), workspace());
  convolution.backward_data(gpu_dy.data(), gpu_w.data(), gpu_dx.data(), workspace());
  convolution.backward_weights(gpu_x.data(), gpu_dy.data(), gpu_dw.data(), workspace());
  EXPECT_LT(relative_error(y64, gpu_y.read()), limit()) << "forward, batch " << s.n;
  EXPECT_LT(relative_error(dx64, gpu_dx.read()), limit()) << "data gradient, batch " << s.n;
  EXPECT_LT(relative_error(dw64, gpu_dw.read()), limit()) << "filter gradient, batch " << s.n;
}

TEST_P(Layers, Convolution1) {
  for (const int n : kBatches) expect_convolution({n, 1, 26, 20, 3});
}

TEST_P(Layers, Convolution2) {
  for (const int n : kBatches) expect_convolution({n, 20, 12, 50, 5});
}

// A dense layer's three products, with the layouts and epilogues of the engine.
void Layers::expect_products(int n, int in, int out, cuda::Epilogue epilogue) {
  using cuda::Epilogue;
  const std::vector<float> x = normal_numbers(std::size_t(n * in), 45),
                           w = normal_numbers(std::size_t(in * out), 46),
                           b = normal_numbers(std::size_t(out), 47),
                           dy = normal_numbers(std::size_t(n * out), 48);
  const std::vector<double> w64 = widened(w), b64 = widened(b);
  std::vector<double> y64, dx64, dw64(w.size(), 0.0), db64(b.size(), 0.0);
  for (int i = 0; i < n; ++i) {
    Values row(b.size());
    dense(example(x, i, n).data(), in, w64.data(), b64.data(), out, row.data());
    for (double& value : row) value = epilogue == Epilogue::bias_relu ? std::max(0.0, value) : value;
    append(y64, row);
    append(dx64, dense_backward(example(x, i, n), w64.data(), example(dy, i, n), dw64.data(), db64.data()));
  }
  const auto gpu_x = upload(x), gpu_w = upload(w), gpu_b = upload(b), gpu_dy = upload(dy),
             gpu_y = poisoned(y64.size()), gpu_dx = poisoned(x.size()), gpu_dw = poisoned(w.size());
  const auto run = [&](const cuda::MatmulShape& shape, Epilogue how, const cuda::Matmul::Operands& operands) {
    cuda::Matmul(blas_.get(), shape, how, tf32(), operands, kWorkspaceBytes)
        .run(stream(), operands, workspace());
  };
  run({n, out, in}, epilogue, {gpu_x.data(), gpu_w.data(), gpu_y.data(), gpu_b.data()});
  run({in, out, n, true, false}, Epilogue::none, {gpu_x.data(), gpu_dy.data(), gpu_dw.data()});
  run({n, in, out, false, true}, Epilogue::none, {gpu_dy.data(), gpu_w.data(), gpu_dx.data()});
  EXPECT_LT(relative_error(y64, gpu_y.read()), limit()) << "forward, batch " << n;
  EXPECT_LT(relative_error(dw64, gpu_dw.read()), limit()) << "weight gradient, batch " << n;
  EXPECT_LT(relative_error(dx64, gpu_dx.read()), limit()) << "input gradient, batch " << n;
}

TEST_P(Layers, DenseWithBiasAndRelu) {
  for (const int n : kBatches) expect_products(n, 800, 128, cuda::Epilogue::bias_relu);
}

TEST_P(Layers, DenseWithBias) {
  for (const int n : kBatches) expect_products(n, 128, 10, cuda::Epilogue::bias);
}

class Pooling : public GpuTest {};

// relu_pool is the average where nothing is negative.
TEST_F(Pooling, IsTheAverageOfFour) {
  const cuda::CudnnHandle cudnn;
  DPX_CHECK(cudnnSetStream(cudnn.get(), stream()));
  for (const int n : kBatches)
    for (const auto& [channels, side] : {std::pair{20, 24}, std::pair{50, 8}}) {
      std::vector<float> x = normal_numbers(std::size_t(n * channels * side * side), 43);
      for (float& value : x) value = std::abs(value) + 0.01f;
      const std::vector<float> dy = normal_numbers(x.size() / 4, 44);
      const OnGpu<float> gpu_x(stream(), x), gpu_dy(stream(), dy), gpu_y(stream(), dy.size()),
          gpu_dx(stream(), x.size());
      const cuda::AveragePool pool(cudnn.get(), n, channels, side);
      pool.forward(gpu_x.data(), gpu_y.data());
      pool.backward(gpu_x.data(), gpu_y.data(), gpu_dy.data(), gpu_dx.data());
      EXPECT_LT(relative_error(relu_pool(widened(x), n * channels, side), gpu_y.read()), kFp32Limit) << n;
      EXPECT_LT(
          relative_error(relu_pool_backward(widened(x), widened(dy), n * channels, side), gpu_dx.read()),
          kFp32Limit)
          << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Math, Layers, testing::Bool(),
                         [](const auto& of) { return of.param ? std::string("tf32") : std::string("fp32"); });

}  // namespace
}  // namespace dpx::test
