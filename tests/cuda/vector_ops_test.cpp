// Elementwise kernels of streams against float64, at odd sizes.
#include <cmath>

#include "kernels/cuda/launch.hpp"
#include "tests/cuda/on_gpu.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx::test {
namespace {

constexpr std::size_t kSizes[] = {1, 3, 37, 1000, 70001};
constexpr double kBf16Limit = 1.0 / 256;  // half of bf16's spacing

class VectorOps : public GpuTest {};

std::vector<Bf16> rounded(const std::vector<float>& values) {
  std::vector<Bf16> out;
  for (const float value : values) out.push_back(to_bf16(value));
  return out;
}

std::vector<float> widened_bf16(const std::vector<Bf16>& values) {
  std::vector<float> out;
  for (const Bf16 value : values) out.push_back(to_float(value));
  return out;
}

std::vector<double> sum_of(const std::vector<float>& a, double factor, const std::vector<float>& b) {
  std::vector<double> sums(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sums[i] = double(a[i]) + factor * double(b[i]);
  return sums;
}

TEST_F(VectorOps, Add) {
  for (const std::size_t n : kSizes) {
    const std::vector<float> a = normal_numbers(n, 0), b = normal_numbers(n, 1);
    const OnGpu<float> dst(stream(), a), src(stream(), b);
    cuda::launch_add(stream(), dst.slice(DType::f32), src.slice(DType::f32));
    EXPECT_LT(relative_error(sum_of(a, 1, b), dst.read()), kFp32Limit) << n;
  }
}

TEST_F(VectorOps, AddBf16) {
  for (const std::size_t n : kSizes) {
    const std::vector<Bf16> a = rounded(normal_numbers(n, 2)), b = rounded(normal_numbers(n, 3));
    const OnGpu<Bf16> dst(stream(), a), src(stream(), b);
    cuda::launch_add(stream(), dst.slice(DType::bf16), src.slice(DType::bf16));
    const std::vector<float> found = widened_bf16(dst.read());
    EXPECT_LE(relative_error(sum_of(widened_bf16(a), 1, widened_bf16(b)), found), kBf16Limit) << n;
  }
}

TEST_F(VectorOps, Convert) {
  for (const std::size_t n : kSizes) {
    const std::vector<float> values = normal_numbers(n, 4);
    const OnGpu<float> wide(stream(), values), again(stream(), n);
    const OnGpu<Bf16> narrow(stream(), n);
    cuda::launch_convert(stream(), narrow.slice(DType::bf16), wide.slice(DType::f32));
    cuda::launch_convert(stream(), again.slice(DType::f32), narrow.slice(DType::bf16));
    EXPECT_EQ(again.read(), widened_bf16(narrow.read())) << n;
    EXPECT_LE(relative_error(widened(values), again.read()), kBf16Limit) << n;
  }
}

TEST_F(VectorOps, AxpyIsSgd) {
  for (const std::size_t n : kSizes) {
    const std::vector<float> params = normal_numbers(n, 5), grads = normal_numbers(n, 6);
    const OnGpu<float> dst(stream(), params), src(stream(), grads);
    cuda::launch_axpy(stream(), dst.data(), -0.2f, src.data(), n);
    EXPECT_LT(relative_error(sum_of(params, double(-0.2f), grads), dst.read()), kFp32Limit) << n;
  }
}

TEST_F(VectorOps, Scale) {
  for (const std::size_t n : kSizes) {
    const std::vector<float> values = normal_numbers(n, 7);
    const OnGpu<float> dst(stream(), values);
    cuda::launch_scale(stream(), dst.data(), 1.0f / 3, n);
    const std::vector<float> zeros(n);
    EXPECT_LT(relative_error(sum_of(zeros, double(1.0f / 3), values), dst.read()), kFp32Limit) << n;
  }
}

// Every width of word, by the alignment of both ends and of the length.
TEST_F(VectorOps, Move) {
  for (const std::size_t n : kSizes)
    for (const std::size_t offset : {0u, 2u, 4u, 5u}) {
      std::vector<std::uint8_t> bytes(n + offset);
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::uint8_t(philox_below(251, 5, 208, i));
      const OnGpu<std::uint8_t> src(stream(), bytes), dst(stream(), bytes.size());
      cuda::launch_move(stream(), dst.data() + offset, src.data() + offset, n);
      std::fill_n(bytes.begin(), offset, std::uint8_t(255));
      EXPECT_EQ(dst.read(), bytes) << n << " bytes at " << offset;
    }
}

}  // namespace
}  // namespace dpx::test
