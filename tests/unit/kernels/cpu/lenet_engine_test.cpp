#include "kernels/cpu/lenet_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/vector_ops.hpp"
#include "lib/core/error.hpp"
#include "tests/support/engine_case.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx {
namespace {

using test::EngineCase;
using test::EngineOutput;
using test::Init;

/// Compares gradient, losses and flags of the first n examples for each n of `sizes` (ascending) with the
/// reference.
void expect_reference(const EngineCase& c, const std::vector<std::size_t>& sizes) {
  test::ReferenceLeNet reference(c.model, c.params);
  std::vector<double> grads(c.model.num_params(), 0.0), losses;
  std::vector<bool> correct;
  for (const std::size_t n : sizes) {
    while (losses.size() < n) {
      const std::size_t i = losses.size();
      const auto result = reference.forward_backward(c.image(i), c.label(i), grads);
      losses.push_back(result.loss);
      correct.push_back(result.best() == c.label(i));
    }
    SCOPED_TRACE(n);
    const EngineOutput out = c.train({0, n});
    for (const test::TensorError& e : test::tensor_errors(c.model, grads, out.grads))
      EXPECT_LE(e.relative, 3e-6) << e.name;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(out.losses[i], losses[i], 1e-6 * std::max(1.0, losses[i]));
      EXPECT_EQ(out.correct[i], correct[i] ? 1 : 0);
    }
  }
}

TEST(CpuEngine, MatchesReferenceChapterInit) {
  expect_reference(EngineCase(1, 100, Init::chapter, DType::u8), {1, 15, 16, 17, 33, 64, 65, 100});
}

TEST(CpuEngine, MatchesReferenceHeInit) {
  expect_reference(EngineCase(1, 100, Init::he, DType::u8), {1, 15, 16, 17, 33, 64, 65, 100});
}

TEST(CpuEngine, MatchesReferenceOnFloatImages) {
  expect_reference(EngineCase(1, 65, Init::he, DType::f32), {1, 17, 65});
  expect_reference(EngineCase(1, 17, Init::chapter, DType::f32), {17});
}

TEST(CpuEngine, MatchesReferenceWhenWider) {
  expect_reference(EngineCase(2, 3, Init::he, DType::u8), {1, 3});
  expect_reference(EngineCase(3, 1, Init::he, DType::f32), {1});
}

TEST(CpuEngine, EmptyShardGivesZeroGradient) {
  const EngineCase c(1, 1, Init::he, DType::u8);
  for (const int threads : {1, 2}) {
    const EngineOutput out = c.train({0, 0}, threads);
    EXPECT_EQ(std::count(out.grads.begin(), out.grads.end(), 0.0f), std::ptrdiff_t(c.model.num_params()));
  }
  EXPECT_NO_THROW(c.evaluate({0, 0}));
}

TEST(CpuEngine, EvaluateGivesTheScoresOfTraining) {
  const EngineCase c(1, 150, Init::he, DType::u8);
  const EngineOutput trained = c.train({0, 150});
  for (const int threads : {1, 3}) {
    const EngineOutput evaluated = c.evaluate({0, 150}, threads);
    EXPECT_EQ(evaluated.losses, trained.losses);
    EXPECT_EQ(evaluated.correct, trained.correct);
  }
}

TEST(CpuEngine, TiedLogitsCountForTheLowestClass) {
  EngineCase c(1, 20, Init::he, DType::u8);
  std::fill(c.params.begin(), c.params.end(), 0.0f);
  const EngineOutput out = c.evaluate({0, 20});
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(out.correct[i], c.label(i) == 0 ? 1 : 0);
    EXPECT_NEAR(out.losses[i], std::log(10.0), 1e-6);
  }
}

TEST(CpuEngine, LargeLogitsStayFinite) {
  EngineCase c(1, 16, Init::he, DType::u8);
  for (float& p : c.params) p *= 30;
  const EngineOutput out = c.train({0, 16});
  for (const float loss : out.losses) EXPECT_TRUE(std::isfinite(loss));
  for (const float g : out.grads) ASSERT_TRUE(std::isfinite(g));
}

TEST(CpuEngine, RefusesAShardLargerThanAgreed) {
  const EngineCase c(1, 2, Init::he, DType::u8);
  Team team(1);
  CpuStream stream(std::make_shared<StickyError>());
  const auto engine = make_cpu_engine(team, c.model, 1);
  std::vector<std::int32_t> order{0, 1};
  const Shard shard{{}, {}, {order.data(), order.size(), DType::i32}};
  EXPECT_THROW(engine->forward_backward(stream, shard, {}, {}, {}), Error);
}

TEST(CpuEngine, NamesItsInstructionSetAndPhases) {
  Team team(2);
  const auto engine = make_cpu_engine(team, LeNet(1), 64);
  EXPECT_EQ(engine->name(), "cpu/lenet-direct " + cpu::simd_name());
  std::set<std::string_view> names;
  for (const PhaseTime& phase : engine->phases()) {
    names.insert(phase.name);
    EXPECT_EQ(phase.time_s, 0);
  }
  EXPECT_EQ(names.size(), 13u);
  EXPECT_TRUE(names.count("load") && names.count("conv2_backward_weights") && names.count("tree"));
}

}  // namespace
}  // namespace dpx
