#include "kernels/cpu/vector_ops.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dpx {
namespace {

// Values whose sums and products need rounding.
std::vector<float> values(std::size_t n, float scale) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scale / float(i + 3);
  return v;
}

class VectorOps : public testing::TestWithParam<std::size_t> {
 protected:
  // Calls body(dst, src, expected, count) for aligned and unaligned places, then compares all of dst:
  // elements outside the range must be untouched.
  template <class Operation, class Scalar>
  void check(const Operation& operation, const Scalar& scalar) {
    for (const auto& [dst_offset, src_offset] : {std::pair{0, 0}, {1, 0}, {0, 3}, {5, 7}, {16, 16}}) {
      const std::size_t n = GetParam();
      std::vector<float> dst = values(n + 40, 1.0f), expected = dst;
      const std::vector<float> src = values(n + 40, 0.7f);
      for (std::size_t i = 0; i < n; ++i)
        expected[std::size_t(dst_offset) + i] =
            scalar(expected[std::size_t(dst_offset) + i], src[std::size_t(src_offset) + i]);
      operation(dst.data() + dst_offset, src.data() + src_offset, n);
      EXPECT_EQ(dst, expected) << "offsets " << dst_offset << ", " << src_offset;
    }
  }
};

TEST_P(VectorOps, Add) {
  check([](float* d, const float* s, std::size_t n) { cpu::add(d, s, n); },
        [](float d, float s) { return d + s; });
}

TEST_P(VectorOps, AxpyRoundsTheProduct) {
  check([](float* d, const float* s, std::size_t n) { cpu::axpy(d, -0.2f, s, n); },
        [](float d, float s) {
          const volatile float product = -0.2f * s;  // volatile: no fused multiply-add in the expectation
          return d + product;
        });
}

TEST_P(VectorOps, Scale) {
  check([](float* d, const float*, std::size_t n) { cpu::scale(d, 1.0f / 3, n); },
        [](float d, float) { return d * (1.0f / 3); });
}

TEST_P(VectorOps, AddToItself) {
  std::vector<float> v = values(GetParam(), 1.0f), expected = v;
  for (float& x : expected) x += x;
  cpu::add(v.data(), v.data(), v.size());
  EXPECT_EQ(v, expected);
}

INSTANTIATE_TEST_SUITE_P(Counts, VectorOps, testing::Values(0, 1, 15, 16, 17, 63, 64, 65, 1000));

}  // namespace
}  // namespace dpx
