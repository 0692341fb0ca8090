// Three different reasons, three different sentences.
#include "kernels/cuda/driver_status.hpp"

#include <gtest/gtest.h>

#include "kernels/cuda/telemetry.hpp"

namespace dpx::cuda {
namespace {

TEST(DriverStatus, SaysNothingWhereThereAreDevices) {
  EXPECT_EQ(why_no_device({0, "", 13000, 13000, 2}), "");
}

TEST(DriverStatus, TellsAMissingDriverFromAnOldOne) {
  EXPECT_EQ(why_no_device({35, "cudaErrorInsufficientDriver", 0, 13000, 0}),
            "there is no NVIDIA driver on this machine (or it is not visible in this container)");
  EXPECT_EQ(why_no_device({35, "cudaErrorInsufficientDriver", 12040, 13000, 0}),
            "the NVIDIA driver is too old: it serves CUDA 12.4, this dpx was built with CUDA 13.0");
}

TEST(DriverStatus, NamesTheVariableThatHidesGpus) {
  EXPECT_EQ(why_no_device({100, "cudaErrorNoDevice", 13000, 13000, 0, " (CUDA_VISIBLE_DEVICES=7)"}),
            "the NVIDIA driver (CUDA 13.0) shows no GPU (CUDA_VISIBLE_DEVICES=7)");
  EXPECT_EQ(why_no_device({100, "cudaErrorNoDevice", 13000, 13000, 0}),
            "the NVIDIA driver (CUDA 13.0) shows no GPU");
}

TEST(DriverStatus, HandsOnAnyOtherFailure) {
  EXPECT_EQ(why_no_device({999, "cudaErrorUnknown (999): unknown error", 13010, 13000, 0}),
            "the NVIDIA driver (CUDA 13.1) fails: cudaErrorUnknown (999): unknown error");
}

TEST(DriverStatus, CodeRunsOnItsOwnAndNewerGpus) {
  EXPECT_TRUE(code_runs_on("80,90", 80));
  EXPECT_TRUE(code_runs_on("80,90", 120));
  EXPECT_FALSE(code_runs_on("80,90", 75));
}

TEST(Throttle, OnlyWhatSlowsDownIsNamed) {
  EXPECT_EQ(throttle_words(0x1 | 0x2), "");
  EXPECT_EQ(throttle_words(0x4 | 0x20), "power cap, thermal");
}

}  // namespace
}  // namespace dpx::cuda
