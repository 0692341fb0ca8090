// The NCCL double: correct use is silent, wrong use is named.
#ifdef FAKE_NCCL
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/fake_run.hpp"

namespace dpx::test {
namespace {

TEST(FakeNccl, CorrectUseIsSilent) {
  for (const char* gpus : {"1", "2", "4"}) {
    expect_clean("nccl", {}, {{"DPX_FAKE_GPUS", gpus}});
    expect_clean("nccl", {"--exchange"}, {{"DPX_FAKE_GPUS", gpus}});
    expect_clean("nccl", {"--graph"}, {{"DPX_FAKE_GPUS", gpus}, {"DPX_FAKE_PEER", "off"}});
  }
}

TEST(FakeNccl, MissingWaitIsReported) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--miss-wait"}, std::vector<std::string>{"--miss-wait", "--graph"}})
    expect_reported("nccl", args,
                    {"RACE in memory of GPU 1", "ncclAllReduce of rank 1", "fake_programs::fill"});
  expect_reported("nccl", {"--exchange", "--miss-wait"},
                  {"RACE in memory of GPU 1", "ncclRecv of rank 0 from 1", "fake_programs::fill"});
}

TEST(FakeNccl, TwoRanksOnOneGpuAreRefused) {
  const Outcome run = run_fake("nccl", {"--same-gpu"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.out.find("invalid usage"), std::string::npos) << run.out;
}

TEST(FakeNccl, NewerOnesLetRanksShareAGpuWhereTheyAreTold) {
  const auto is_refused = [](const Environment& env) {
    return run_fake("nccl", {"--same-gpu"}, env).out.find("ncclCommInitAll") != std::string::npos;
  };
  EXPECT_TRUE(is_refused({{"DPX_FAKE_NCCL_VERSION", "23003"}}));
  EXPECT_TRUE(is_refused({{"DPX_FAKE_NCCL_VERSION", "23002"}, {"NCCL_MULTI_RANK_GPU_ENABLE", "1"}}));
  EXPECT_FALSE(is_refused({{"DPX_FAKE_NCCL_VERSION", "23003"}, {"NCCL_MULTI_RANK_GPU_ENABLE", "1"}}));
}

TEST(FakeNccl, WhatWouldHangIsReported) {
  expect_reported("nccl", {"--no-group"}, {"deadlock: 1 of 2 ranks called ncclAllReduce"});
  expect_reported("nccl", {"--one-rank"}, {"deadlock: 1 of 2 ranks called ncclAllReduce"});
  expect_reported("nccl", {"--exchange", "--one-rank"},
                  {"deadlock: rank 0 sends 4004 bytes to rank 1, which receives nothing from it"});
  expect_reported("nccl", {}, {"deadlock: the host waits for"}, {{"DPX_FAKE_FAIL", "nccl_hang:1:1"}});
}

TEST(FakeNccl, GraphsGoBeforeTheirCommunicators) {
  expect_clean("nccl", {"--graph"});
  expect_reported("nccl", {"--graph", "--keep-graph"}, {"deadlock: ncclCommDestroy waits"});
}

TEST(FakeNccl, AHangCanBeAborted) {
  for (const std::string& policy : policies()) {
    const Outcome run =
        run_fake("nccl", {"--poll"}, {{"DPX_FAKE_FAIL", "nccl_hang:2:1"}, {"DPX_FAKE_POLICY", policy}});
    EXPECT_EQ(run.exit_code, 4) << policy << run.err;
    EXPECT_NE(run.out.find("aborted"), std::string::npos) << run.out;
  }
}

TEST(FakeNccl, ErrorsOnDemand) {
  const Outcome sync = run_fake("nccl", {}, {{"DPX_FAKE_FAIL", "ncclCommInitAll:1:1"}});
  EXPECT_EQ(sync.exit_code, 3);
  EXPECT_NE(sync.out.find("unhandled cuda error"), std::string::npos) << sync.out;
  const Outcome async = run_fake("nccl", {"--poll"}, {{"DPX_FAKE_FAIL", "ncclCommGetAsyncError:1:6"}});
  EXPECT_NE(async.out.find("asynchronous: remote process exited"), std::string::npos) << async.out;
}

}  // namespace
}  // namespace dpx::test
#endif
