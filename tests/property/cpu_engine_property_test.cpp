// What must not change the bits of a gradient: the number of threads, the place of a row, the instruction
// set.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "tests/support/engine_case.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx {
namespace {

using test::EngineCase;
using test::EngineOutput;
using test::Init;

TEST(CpuEngineBits, DoNotDependOnTheTeam) {
  const EngineCase c(1, 330, Init::he, DType::u8);
  for (const std::size_t n : {65, 330}) {
    const EngineOutput one = c.train({0, n});
    for (const int threads : {2, 3, 4}) EXPECT_TRUE(c.train({0, n}, threads) == one) << n << " " << threads;
  }
}

TEST(CpuEngineBits, GradientOfABatchIsTheSumOfItsHalves) {
  const EngineCase c(1, 256, Init::he, DType::u8);
  for (const std::size_t half : {64, 128}) {
    const EngineOutput whole = c.train({0, 2 * half}, 2), left = c.train({0, half}),
                       right = c.train({half, half});
    std::vector<float> sum = left.grads;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += right.grads[i];
    EXPECT_EQ(whole.grads, sum);
  }
}

TEST(CpuEngineBits, DependOnTheExamplesNotTheirRows) {
  const EngineCase c(1, 70, Init::he, DType::f32);
  EngineCase moved = c;
  for (std::size_t i = 0; i < 70; ++i) {  // row i goes to row 69 - i; so does its entry in the order
    std::copy_n(c.images_f32.begin() + std::ptrdiff_t(i * LeNet::kPixels), LeNet::kPixels,
                moved.images_f32.begin() + std::ptrdiff_t((69 - i) * LeNet::kPixels));
    moved.labels[69 - i] = c.labels[i];
    moved.order[i] = 69 - c.order[i];
  }
  EXPECT_TRUE(c.train({0, 70}) == moved.train({0, 70}));
}

TEST(CpuEngineBits, ByteImagesEqualTheirFloats) {
  const EngineCase bytes(1, 20, Init::he, DType::u8);
  EngineCase floats = bytes;
  floats.dtype = DType::f32;
  for (const std::uint8_t v : bytes.images_u8) floats.images_f32.push_back(float(v) * (1.0f / 255));
  EXPECT_TRUE(bytes.train({0, 20}) == floats.train({0, 20}));
}

/// Restricts the dispatch to one instruction set while it lives.
class Forced {
 public:
  explicit Forced(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~Forced() { hwy::SetSupportedTargetsForTest(0); }
};

#if HWY_ARCH_X86
TEST(CpuEngineTargets, AgreeBitForBitWhereTheyFuse) {
  const EngineCase c(1, 80, Init::he, DType::u8);
  const std::int64_t supported = hwy::SupportedTargets();
  const auto run = [&](std::int64_t target, const EngineCase& engine_case) {
    const Forced forced(target);
    EngineOutput out = engine_case.train({0, 80});
    EXPECT_EQ(out.engine, std::string("cpu/lenet-direct ") + hwy::TargetName(target));  // what was forced ran
    out.engine.clear();
    return out;
  };
  const EngineOutput baseline = run(HWY_SSSE3, c);
  if (!(supported & HWY_AVX2)) GTEST_SKIP() << "this processor has no AVX2";
  const EngineOutput avx2 = run(HWY_AVX2, c);
  const std::vector<double> expected(avx2.grads.begin(), avx2.grads.end());
  EXPECT_LE(test::worst_error(c.model, expected, baseline.grads).relative,
            6e-6);  // no fused multiply-add there
  EXPECT_EQ(baseline.correct, avx2.correct);
  if (!(supported & HWY_AVX3)) GTEST_SKIP() << "this processor has no AVX-512";
  EXPECT_TRUE(run(HWY_AVX3, c) == avx2);
  const EngineCase wide(2, 80, Init::chapter, DType::f32);
  EXPECT_TRUE(run(HWY_AVX3, wide) == run(HWY_AVX2, wide));
}

TEST(CpuEngineTargets, EachMatchesTheReference) {
  const EngineCase c(1, 17, Init::he, DType::f32);
  test::ReferenceLeNet reference(c.model, c.params);
  std::vector<double> grads(c.model.num_params(), 0.0);
  for (std::size_t i = 0; i < 17; ++i) reference.forward_backward(c.image(i), c.label(i), grads);
  const std::int64_t supported = hwy::SupportedTargets();
  for (const std::int64_t target : {HWY_SSSE3, HWY_AVX2, HWY_AVX3}) {
    if (!(supported & target)) continue;
    const Forced forced(target);
    const test::TensorError worst = test::worst_error(c.model, grads, c.train({0, 17}).grads);
    EXPECT_LE(worst.relative, 3e-6) << hwy::TargetName(target) << " " << worst.name;
  }
}
#endif

}  // namespace
}  // namespace dpx
