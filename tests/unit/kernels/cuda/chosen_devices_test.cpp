#include <gtest/gtest.h>

#include "kernels/cuda/cuda_backend.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx::cuda {
namespace {

DeviceRequest request(int count, std::vector<int> ordinals = {}) {
  DeviceRequest r;
  r.count = count;
  r.ordinals = std::move(ordinals);
  return r;
}

TEST(ChosenDevices, AreTheFirstOnes) {
  EXPECT_EQ(chosen_ordinals(request(2), 4, ""), (std::vector<int>{0, 1}));
}

TEST(ChosenDevices, AreThoseNamed) {
  EXPECT_EQ(chosen_ordinals(request(2, {1, 0}), 2, ""), (std::vector<int>{1, 0}));
  EXPECT_EQ(chosen_ordinals(request(1, {1, 0}), 2, ""), (std::vector<int>{1}));
  EXPECT_EQ(chosen_ordinals(request(2, {0, 0}), 1, ""), (std::vector<int>{0, 0}));
}

TEST(ChosenDevices, MoreThanVisibleIsRefusedWithAnOffer) {
  EXPECT_EQ(
      test::error_of([] { chosen_ordinals(request(2), 1, ""); }, Exit::unavailable),
      "2 devices asked for, 1 GPU is visible; replicas can share a GPU: --devices cuda:0,0, or use --backend "
      "cpu");
}

TEST(ChosenDevices, NamesTheVariableThatLimitsThem) {
  EXPECT_EQ(test::error_of([] { chosen_ordinals(request(1, {3}), 2, " (CUDA_VISIBLE_DEVICES=3,1)"); },
                           Exit::unavailable),
            "--devices: cuda:3 asked for, 2 GPUs are visible (CUDA_VISIBLE_DEVICES=3,1): the last is cuda:1");
}

}  // namespace
}  // namespace dpx::cuda
