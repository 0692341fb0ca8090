// Timers repeat the same work, and their parts add up.
#include "lib/train/step_timing.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "lib/data/synthetic.hpp"
#include "tests/support/devices.hpp"

namespace dpx {
namespace {

TEST(StepTiming, PartsAddUpToTheStepAndNothingMoves) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({2, 1}));
  const LeNet model;
  const Examples examples = synthetic_examples(16, 0);
  StepTimer timer(group, *backend, model, StepOptions{}, examples, 9);
  const std::vector<std::uint64_t> before = timer.replicas().param_hashes();
  const StepTimer::Sample sample = timer.sample(3);
  EXPECT_EQ(timer.replicas().param_hashes(), before);
  const PhaseSeconds& p = sample.phases;
  EXPECT_NEAR(p.data_s + p.forward_backward_s + p.allreduce_s + p.update_s + p.other_s, sample.step_s, 1e-9);
  EXPECT_GT(p.forward_backward_s, 0);
  ASSERT_TRUE(p.forward_s) << "the CPU engine tells the passes apart";
  EXPECT_GT(*p.forward_s, 0);
  EXPECT_LT(*p.forward_s, p.forward_backward_s);
  EXPECT_GT(p.data_s, 0) << "the engine counts gathering images";
  EXPECT_GE(p.straggler_s, 0);
  EXPECT_LE(p.straggler_s, p.allreduce_s);
  EXPECT_GT(p.launch_s, 0);
  ASSERT_EQ(p.rank_forward_backward_s.size(), 2u);
  EXPECT_NEAR((p.rank_forward_backward_s[0] + p.rank_forward_backward_s[1]) / 2, p.forward_backward_s, 1e-9);
}

TEST(StepTiming, ComputeIsTimedApartFromDataAndUpdate) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({1, 1}));
  const Examples examples = synthetic_examples(16, 0);
  ComputeTimer timer(group, *backend, LeNet(), examples, 5);
  const ComputeTimer::Sample sample = timer.sample(2);
  EXPECT_GT(sample.compute_s, 0);
  EXPECT_GT(sample.data_s, 0);
  EXPECT_GT(sample.update_s, 0);
}

TEST(StepTiming, AllreducesKeepTheirNumberAtEverySize) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({2, 1}));
  const auto reducer = backend->make_reducer("star", group);
  const std::vector<Range> runs{{0, 10}, {10, 990}};
  ReduceTimer half(group, *reducer, runs, 2000);
  EXPECT_EQ(half.bytes(), 2000u);
  EXPECT_EQ(half.samples(3).size(), 3u);
  ReduceTimer tiny(group, *reducer, runs, 4);
  EXPECT_EQ(tiny.bytes(), 8u) << "an element for each run";
  for (const double time_s : tiny.samples(2)) EXPECT_GT(time_s, 0);
  EXPECT_GT(reducer->elements_carried().size(), 0u);
}

}  // namespace
}  // namespace dpx
