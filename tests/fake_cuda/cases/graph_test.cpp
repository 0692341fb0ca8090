// Whole training steps as CUDA graphs: replayed, they do what enqueued steps do, and nothing in them is
// unordered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/dpx_run.hpp"

namespace dpx::test {
namespace {

/// 10 examples: two batches of 4 and a ragged one of 2 per epoch, so both graphs are launched.
std::vector<std::string> train(const std::vector<std::string>& more) {
  std::vector<std::string> args{"train", "--data",   "synthetic", "--limit",  "10",  "--batch",
                                "4",     "--epochs", "2",         "--bucket", "flat"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

nlohmann::json verdict_of(const std::vector<std::string>& more, const Environment& env = {}) {
  const RecordedRun run = record_on_gpus(train(more), env);
  expect_good(run.outcome, fmt::format("{}", more.empty() ? "" : more.back()));
  return run.record.value("verdict", nlohmann::json::object());
}

TEST(DpxGraphs, AStepOnOneGpuHasAtMostThirtyNodes) {
  const nlohmann::json verdict = verdict_of({"--gpus", "1"});
  EXPECT_GT(verdict.value("graph_nodes_per_step", 0), 20);
  EXPECT_LE(verdict.value("graph_nodes_per_step", 99), 30);
}

TEST(DpxGraphs, ReplayedStepsAreEnqueuedSteps) {
  const nlohmann::json enqueued = verdict_of({"--gpus", "2", "--graph", "off"});
  EXPECT_FALSE(enqueued.contains("graph_nodes_per_step"));
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--transport", "staged"}, {"--algo", "nccl"}}) {
    std::vector<std::string> args{"--gpus", "2"};
    args.insert(args.end(), how.begin(), how.end());
    const nlohmann::json replayed = verdict_of(args, {{"DPX_FAKE_POLICY", "random:3"}});
    EXPECT_TRUE(replayed.contains("graph_nodes_per_step")) << how.back();
    EXPECT_EQ(replayed.at("replica_hashes_end"), enqueued.at("replica_hashes_end")) << how.back();
  }
}

TEST(DpxGraphs, CopiesThatTheDriverStagesAreNotCaptured) {
  const RecordedRun run = record_on_gpus(train({"--gpus", "2", "--transport", "driver"}));
  expect_good(run.outcome, "driver");
  EXPECT_FALSE(run.record.at("verdict").contains("graph_nodes_per_step"));
  EXPECT_NE(run.outcome.err.find("without a graph"), std::string::npos) << run.outcome.err;
}

// Waits 1 to 10 are of the step that is enqueued, the next ones of the capture, in the order of its calls.
TEST(DpxGraphs, AWaitThatACapturedStepLacksIsReported) {
  for (const int wait : {12, 14, 17})
    expect_failed(run_on_gpus({"train", "--gpus", "2", "--data", "synthetic", "--limit", "9", "--batch", "3",
                               "--epochs", "1", "--bucket", "flat"},
                              {{"DPX_FAKE_FAIL", fmt::format("drop_wait:{}:1", wait)}}),
                  kReported, {"RACE in memory of GPU", "is not ordered after"});
}

#ifdef FAKE_NCCL
// Captured is the second step, and with it the second collective.
TEST(DpxGraphs, ACollectiveThatHangsInAGraphIsAborted) {
  expect_failed(run_on_gpus(train({"--gpus", "2", "--algo", "nccl", "--timeout", "0.5"}),
                            {{"DPX_FAKE_FAIL", "nccl_hang:2:1"}}),
                3, {"--timeout"});
}
#endif

}  // namespace
}  // namespace dpx::test
