// Each detector of the runtime double on a planted fault, and silent on the correct program.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/fake_cuda/cases/fake_run.hpp"

namespace dpx::test {
namespace {

TEST(FakeStreams, CorrectStarIsSilent) {
  expect_clean("star", {});
}

TEST(FakeStreams, MissingWaitIsReported) {
  expect_reported("star", {"--miss-wait"},
                  {"RACE in memory of GPU 1", "copy of 4000 bytes from GPU 1 to GPU 0", "fake_programs::fill",
                   "is not ordered after"});
}

TEST(FakeStreams, OverwritingWhatACopyStillReadsIsReported) {
  expect_reported("star", {"--miss-back"},
                  {"write by fake_programs::fill is not ordered after the read by copy of 4000 bytes"});
}

TEST(FakeGraphs, CorrectStarIsSilent) {
  expect_clean("star", {"--graph"});
}

TEST(FakeGraphs, MissingWaitIsReported) {  // although three replays of equal values come out right
  expect_reported("star", {"--graph", "--miss-wait"},
                  {"RACE in memory of GPU 1", "fake_programs::fill", "copy of"});
}

TEST(FakeGraphs, CaptureErrorsAreThoseOfTheRealLibrary) {
  expect_clean("calls", {"--capture-errors"});
}

TEST(FakeMemory, PeerAccess) {
  expect_clean("memory", {"--peer-read"});
  expect_reported("memory", {"--peer-read", "--no-access"},
                  {"fake_programs::add_into on GPU 0", "memory of GPU 1", "peer access is not enabled"});
}

TEST(FakeMemory, NeighboursOnOnePageDoNotRace) {
  expect_clean("memory", {"--neighbours"});
  expect_reported("memory", {"--neighbours", "--overlap"},
                  {"RACE in memory of GPU 0, byte 3108 of the 6000"});
}

TEST(FakeMemory, PinnedMemoryOfPendingCopies) {
  expect_clean("memory", {"--pinned"});
  expect_reported(
      "memory", {"--pinned", "--early-read"},
      {"read by host code is not ordered after the write by copy of 6000 bytes from GPU 0 to host"});
  expect_reported(
      "memory", {"--pinned", "--early-write"},
      {"write by host code is not ordered after the read by copy of 6000 bytes from host to GPU 0"});
}

TEST(FakeMemory, MappedMemory) {
  expect_clean("memory", {"--mapped"});
  const Outcome early = run_fake("memory", {"--mapped", "--early-read"}, {{"DPX_FAKE_POLICY", "eager"}});
  EXPECT_EQ(early.exit_code, kReported) << early.err;
  EXPECT_NE(early.err.find("read by host code is not ordered after the write by fake_programs::fill"),
            std::string::npos)
      << early.err;
  EXPECT_NE(run_fake("memory", {"--mapped", "--early-read"}).exit_code, 0);  // lazy: the poison is read
}

TEST(FakeMemory, HostMayNotDereferenceDeviceMemory) {
  expect_clean("memory", {});
  expect_reported("memory", {"--dereference"}, {"host code reads memory of GPU 0"});
}

TEST(FakeMemory, OutOfBounds) {
  expect_reported("memory", {"--beyond"}, {"fake_programs::fill on GPU 0 writes out of bounds"});
}

TEST(FakeMemory, UseAfterFree) {
  const Outcome run = run_fake("memory", {"--free-early"});
  EXPECT_EQ(run.exit_code, kReported) << run.err;
  EXPECT_NE(run.err.find("outside any allocation"), std::string::npos) << run.err;
}

TEST(FakeMemory, OutOfMemory) {
  expect_clean("memory", {"--out-of-memory"});
  const Outcome small = run_fake("memory", {}, {{"DPX_FAKE_MEMORY", "4096"}});
  EXPECT_EQ(small.exit_code, 3);
  EXPECT_NE(small.out.find("cudaErrorMemoryAllocation"), std::string::npos) << small.out;
}

TEST(FakeMemory, CorruptPeerCopies) {
  expect_clean("memory", {"--peer-copy"});
  const Outcome corrupt = run_fake("memory", {"--peer-copy"}, {{"DPX_FAKE_PEER", "corrupt"}});
  EXPECT_NE(corrupt.out.find("peer access 1, 1 wrong"), std::string::npos) << corrupt.out;
  const Outcome off = run_fake("memory", {"--peer-copy"}, {{"DPX_FAKE_PEER", "off"}});
  EXPECT_NE(off.out.find("peer access 0, 0 wrong"), std::string::npos) << off.out;
}

TEST(FakeBlocks, BarriersAndShuffles) {
  expect_clean("block", {});
  expect_reported("block", {"--miss-barrier"},
                  {"RACE in shared memory of fake_programs::block_sum<128>", "thread"});
  expect_reported("block", {"--stuck"}, {"fake_programs::stuck: a block stands still"});
}

TEST(FakeCalls, WrongOnesAreRefused) {
  expect_clean("calls", {"--wrong-calls"});
}

TEST(FakeCalls, VirtualTime) {
  expect_clean("calls", {"--elapsed"});
}

TEST(FakeCalls, EventNodesTakeNewEvents) {
  for (const std::string& policy : policies())
    expect_clean("calls", {"--graph-events"}, {{"DPX_FAKE_POLICY", policy}});
}

TEST(FakeCalls, PollingEnds) {
  expect_clean("calls", {"--poll"});
}

TEST(FakeCalls, UnfakedOnesEndByName) {
  const Outcome run = run_fake("calls", {"--unfaked"});
  EXPECT_EQ(run.signal, SIGABRT);
  EXPECT_NE(run.err.find("cudaMallocManaged of libcudart.so.13 is not faked"), std::string::npos) << run.err;
}

TEST(FakeCalls, KernelsWithoutTwinEndByName) {
  expect_reported("calls", {"--no-twin"}, {"kernel fake_programs::only_on_gpus", "has no twin"});
}

TEST(FakeCalls, TheDefaultStreamIsRefused) {
  expect_reported("calls", {"--default-stream"}, {"cudaMemcpyAsync uses the default stream"});
}

TEST(FakeFailures, OnDemand) {
  const auto output_with = [](const Environment& env, const std::vector<std::string>& args = {}) {
    return run_fake("calls", args, env).out;
  };
  EXPECT_NE(output_with({{"DPX_FAKE_FAIL", "cudaMalloc:1:2"}}).find("cudaErrorMemoryAllocation"),
            std::string::npos);
  EXPECT_NE(output_with({{"DPX_FAKE_FAIL", "kernel:1:700"}}).find("cudaErrorIllegalAddress"),
            std::string::npos);
  EXPECT_NE(output_with({{"DPX_FAKE_FAIL", "cudaStreamSynchronize:1+:719"}}).find("cudaErrorLaunchFailure"),
            std::string::npos);
  const std::vector<std::string> count = {"--count"};
  EXPECT_NE(
      output_with({{"DPX_FAKE_FAIL", "cudaGetDeviceCount:*:35"}}, count).find("cudaErrorInsufficientDriver"),
      std::string::npos);
  EXPECT_NE(output_with({{"DPX_FAKE_GPUS", "0"}}, count).find("0 devices, cudaErrorNoDevice"),
            std::string::npos);
  EXPECT_NE(output_with({{"DPX_FAKE_GPUS", "4"}}, count).find("4 devices"), std::string::npos);
  EXPECT_NE(output_with({{"DPX_FAKE_GPUS", "4"}, {"CUDA_VISIBLE_DEVICES", "3,1"}}, count).find("2 devices"),
            std::string::npos);
}

TEST(FakeFailures, SettingsThatAreNotUnderstoodAreNamed) {
  const Outcome run = run_fake("calls", {}, {{"DPX_FAKE_POLICY", "sometimes"}});
  EXPECT_EQ(run.exit_code, kReported);
  EXPECT_NE(run.err.find("DPX_FAKE_POLICY=sometimes: lazy, eager or random:SEED"), std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace dpx::test
