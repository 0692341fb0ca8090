// --devices, --transport and --algo nccl through the executable, on a machine whose GPUs (if any) are not
// used.
#include <gtest/gtest.h>

#include "tests/support/run_record.hpp"

namespace dpx {
namespace {

using test::expect_refusal;
using test::RecordedRun;
using test::run_recorded;

TEST(DevicesOption, NamesBackendAndCount) {
  const RecordedRun run = run_recorded({"ring", "--devices", "cpu:3"});
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(run.record["environment"]["backend"], "cpu");
  EXPECT_EQ(run.record["environment"]["devices"].size(), 3u);
  EXPECT_EQ(run.record["config"]["gpus"], 3);
}

TEST(DevicesOption, ContradictionsAreRefused) {
  expect_refusal({"train", "--devices", "cpu:2", "--backend", "cuda"}, 2,
                 {"--devices cpu:2", "--backend cuda"});
  expect_refusal({"parity", "--devices", "cpu:2", "--gpus", "3"}, 2, {"--gpus 3", "--devices cpu:2"});
  expect_refusal({"parity", "--devices", "cuda:0,x"}, 2, {"cuda:0,x", "'x'"});
}

TEST(DevicesOption, WhatNeedsAGpuSaysSo) {
  expect_refusal({"train", "--backend", "cpu", "--data", "synthetic", "--algo", "nccl"}, 3, {"nccl", "cuda"});
  expect_refusal({"parity", "--backend", "cpu", "--math", "tf32"}, 3, {"--math", "cuda"});
}

}  // namespace
}  // namespace dpx
