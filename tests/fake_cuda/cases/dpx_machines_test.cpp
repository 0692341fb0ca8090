// What the real dpx makes of machines: without driver, with an old one, without GPUs, with unequal ones.
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/dpx_run.hpp"

namespace dpx::test {
namespace {

const std::vector<std::string> kRing = {"ring", "--gpus", "2", "--elements", "16"};

/// `--backend cuda` must exit with 3 and the reason, `auto` say it in one line and use the CPU.
void expect_no_cuda(const Environment& env, const std::string& reason) {
  expect_failed(run_on_gpus(kRing, env), 3, {"--backend cuda: " + reason, "--backend cpu works here"});
  const Outcome fallback = run_on_gpus(kRing, env, "auto");
  expect_good(fallback, reason);
  EXPECT_NE(fallback.err.find("backend cpu: " + reason), std::string::npos) << fallback.err;
}

TEST(DpxMachines, WithoutDriver) {
  expect_no_cuda({{"DPX_FAKE_DRIVER", "0"}}, "there is no NVIDIA driver on this machine");
}

TEST(DpxMachines, WithAnOldDriver) {
  expect_no_cuda({{"DPX_FAKE_DRIVER", "11080"}},
                 "the NVIDIA driver is too old: it serves CUDA 11.8, this dpx was built with CUDA ");
}

TEST(DpxMachines, WithoutAVisibleGpu) {
  expect_no_cuda({{"DPX_FAKE_GPUS", "0"}}, "the NVIDIA driver (CUDA ");
  for (const char* list : {"-1", "4", "GPU-nobody", "0,0"})
    expect_failed(run_on_gpus(kRing, {{"CUDA_VISIBLE_DEVICES", list}}), 3,
                  {std::string("shows no GPU (CUDA_VISIBLE_DEVICES=") + list + ")"});
  expect_failed(run_on_gpus(kRing, {{"CUDA_VISIBLE_DEVICES", ""}}), 3,
                {"shows no GPU (CUDA_VISIBLE_DEVICES is empty)"});
}

TEST(DpxMachines, WhoseCudaLibrariesCannotBeLoaded) {
  const TempDir broken;
  broken.write("libcudnn.so.9", "");
  expect_no_cuda({{"LD_LIBRARY_PATH", broken.path()}}, "the CUDA libraries cannot be loaded: ");
}

// Without the double, and with any GPU that this machine may have hidden.
TEST(DpxMachines, AsThisOne) {
  const Environment real = {{"LD_LIBRARY_PATH", ""}, {"CUDA_VISIBLE_DEVICES", ""}};
  expect_failed(run_on_gpus(kRing, real), 3, {"--backend cuda: ", "NVIDIA driver"});
  expect_good(run_on_gpus(kRing, real, "auto"), "auto");
}

TEST(DpxMachines, VisibleGpusAreRenumbered) {
  const RecordedRun run = record_on_gpus(kRing, {{"CUDA_VISIBLE_DEVICES", "GPU-d2,GPU-d0bb"}});
  expect_good(run.outcome, "UUIDs");
  const auto& devices = run.record.at("environment").at("devices");
  EXPECT_EQ(devices.at(0).at("name"), "cuda:0");
  EXPECT_EQ(devices.at(0).at("uuid"), "GPU-d2bbe1d0-0000-4000-8000-000000000000");
  EXPECT_EQ(devices.at(0).at("physical"), "0000:03:00.0");
  EXPECT_EQ(devices.at(1).at("uuid"), "GPU-d0bbe1d0-0000-4000-8000-000000000000");
  EXPECT_FALSE(run.record.at("environment").contains("mixed_devices"));
  expect_failed(run_on_gpus({"ring", "--devices", "cuda:0,2", "--elements", "16"},
                            {{"CUDA_VISIBLE_DEVICES", "GPU-d2,GPU-d0"}}),
                3, {"cuda:2 asked for, 2 GPUs are visible (CUDA_VISIBLE_DEVICES=GPU-d2,GPU-d0)"});
}

TEST(DpxMachines, WithUnequalGpus) {
  const RecordedRun run =
      record_on_gpus(kRing, {{"DPX_FAKE_MODELS", "Big:90:4:4294967296,Display card:90:1:268435456"}});
  expect_good(run.outcome, "mixed");
  const std::string mixed =
      "the GPUs differ: cuda:0 is Big, sm_90, 4 multiprocessors, 4.0 GiB; cuda:1 is Display card, sm_90, 1 "
      "multiprocessors, 0.2 GiB; all wait for the slowest";
  EXPECT_NE(run.outcome.err.find(mixed), std::string::npos) << run.outcome.err;
  EXPECT_EQ(run.record.at("environment").at("mixed_devices"), mixed);
  expect_good(run_on_gpus({"parity", "--gpus", "2", "--batch", "8"},
                          {{"DPX_FAKE_MODELS", "Big:90:4:4294967296,Display card:90:1:268435456"}}),
              "parity on unequal GPUs");
}

TEST(DpxMachines, WhereTheSmallerGpuRunsOutOfMemory) {
  expect_failed(run_on_gpus({"parity", "--gpus", "2", "--batch", "8"},
                            {{"DPX_FAKE_MODELS", "Big:90:4:4294967296,Small:90:1:1048576"}}),
                3, {"cuda:1", "bytes asked for", "of 1048576 are free"});
}

TEST(DpxMachines, AGpuThatThisBuildHasNoCodeForIsNamed) {
  expect_failed(run_on_gpus(kRing, {{"DPX_FAKE_MODELS", "Fine:90:2:4294967296,Old:35:2:4294967296"}}), 3,
                {"cuda:1: Old has compute capability 3.5, this dpx holds code for "});
}

}  // namespace
}  // namespace dpx::test
