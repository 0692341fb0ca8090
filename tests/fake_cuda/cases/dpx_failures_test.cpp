// What the real dpx says when a machine's GPUs, drivers or libraries fail.
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/dpx_run.hpp"
#include "tests/support/data_files.hpp"

namespace dpx::test {
namespace {

const std::vector<std::string> kParity = {"parity", "--gpus", "2", "--batch", "8"};

TEST(DpxFailures, NoDriverOrNoGpu) {
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_FAIL", "cudaGetDeviceCount:*:35"}}), 3, {"driver"});
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_GPUS", "0"}}), 3, {"shows no GPU"});
}

TEST(DpxFailures, AutoFallsBackToTheCpuAndSaysSo) {
  const Outcome run =
      run_on_gpus({"ring", "--gpus", "2", "--elements", "16"}, {{"DPX_FAKE_GPUS", "0"}}, "auto");
  expect_good(run, "auto");
  EXPECT_NE(run.err.find("cpu"), std::string::npos) << run.err;
}

TEST(DpxFailures, MoreGpusThanVisible) {
  expect_failed(run_on_gpus(kParity, {{"CUDA_VISIBLE_DEVICES", "1"}}), 3, {"2", "1"});
}

TEST(DpxFailures, OutOfMemoryNamesTheSizes) {
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_MEMORY", "1048576"}}), 3,
                {"bytes asked for", "of 1048576 are free"});
}

TEST(DpxFailures, CorruptPeerCopiesAreFoundAndAvoided) {
  const TempDir data;
  write_dataset(data, 16, 16);
  const RecordedRun run =
      record_on_gpus({"train", "--gpus", "2", "--data", data.path(), "--batch", "8", "--epochs", "1"},
                     {{"DPX_FAKE_PEER", "corrupt"}});
  expect_good(run.outcome, "corrupt");
  const std::string transport = run.record.at("verdict").at("transport");
  EXPECT_NE(transport.find("staged"), std::string::npos) << transport;
  EXPECT_NE(run.outcome.err.find("staged is used"), std::string::npos) << run.outcome.err;
  expect_failed(run_on_gpus({"parity", "--gpus", "2", "--batch", "8", "--transport", "peer"},
                            {{"DPX_FAKE_PEER", "corrupt"}}),
                3, {"peer"});
}

TEST(DpxFailures, AStickyErrorEndsTheRunWithItsName) {
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_FAIL", "kernel:9:700"}}), 1, {"cudaErrorIllegalAddress"});
}

TEST(DpxFailures, LibrariesThatFailAreNamed) {
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_FAIL", "cudnnCreate:1:1001"}}), 3,
                {"CUDNN_STATUS_NOT_INITIALIZED"});
  expect_failed(run_on_gpus(kParity, {{"DPX_FAKE_FAIL", "cublasLtMatmul:1:13"}}), 1,
                {"CUBLAS_STATUS_EXECUTION_FAILED"});
}

#ifdef FAKE_NCCL
TEST(DpxFailures, Nccl) {
  std::vector<std::string> nccl = kParity;
  nccl.insert(nccl.end(), {"--algo", "nccl"});
  expect_failed(run_on_gpus(nccl, {{"DPX_FAKE_FAIL", "ncclCommInitAll:1:1"}}), 3, {"unhandled cuda error"});
  expect_failed(run_on_gpus({"parity", "--devices", "cuda:0,0", "--batch", "8", "--algo", "nccl"}), 3,
                {"NCCL"});
  nccl.insert(nccl.end(), {"--timeout", "0.5"});
  expect_failed(run_on_gpus(nccl, {{"DPX_FAKE_FAIL", "nccl_hang:1:1"}}), 3, {"--timeout"});
}
#endif

}  // namespace
}  // namespace dpx::test
