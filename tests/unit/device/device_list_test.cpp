#include "lib/device/device_list.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

TEST(DeviceList, CountsCpuDevices) {
  const DeviceList list = parse_device_list("cpu:4");
  EXPECT_EQ(list.backend, "cpu");
  EXPECT_EQ(list.count, 4);
  EXPECT_TRUE(list.ordinals.empty());
}

TEST(DeviceList, NamesGpus) {
  const DeviceList list = parse_device_list("cuda:3,1");
  EXPECT_EQ(list.backend, "cuda");
  EXPECT_EQ(list.count, 2);
  EXPECT_EQ(list.ordinals, (std::vector<int>{3, 1}));
}

TEST(DeviceList, MayNameOneGpuTwice) {
  EXPECT_EQ(parse_device_list("cuda:0,0").ordinals, (std::vector<int>{0, 0}));
}

TEST(DeviceList, BareNumbersAreGpus) {
  EXPECT_EQ(parse_device_list("0,2").backend, "cuda");
}

TEST(DeviceList, RefusesWhatIsNoList) {
  for (const char* wrong :
       {"", "cuda:", "cuda:0,", "cuda:-1", "cuda:0,x", "cpu:0", "cpu", "cuda:99999", "cuda:0 1"})
    EXPECT_NE(test::error_of([&] { parse_device_list(wrong); }, Exit::usage), "") << wrong;
  EXPECT_EQ(test::error_of([] { parse_device_list("gpu:0"); }, Exit::usage),
            "gpu:0: unknown kind 'gpu'; cpu:K or cuda:I,J,...; cuda:0,0 is two replicas on one GPU");
}

}  // namespace
}  // namespace dpx
