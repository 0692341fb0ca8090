#include "lib/comm/buckets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {
namespace {

std::vector<Range> lenet_ranges() {
  const LeNet model;
  std::vector<Range> ranges;
  for (const ParamTensor& t : model.tensors()) ranges.push_back(t.elements);
  return ranges;
}

void expect_covers(std::vector<Range> buckets, std::size_t total) {
  std::sort(buckets.begin(), buckets.end(), [](Range a, Range b) { return a.first < b.first; });
  std::size_t next = 0;
  for (const Range& b : buckets) {
    EXPECT_EQ(b.first, next);
    next = b.end();
  }
  EXPECT_EQ(next, total);
}

TEST(Buckets, TensorAndFlat) {
  EXPECT_EQ(make_buckets(lenet_ranges(), "tensor").size(), 8u);
  EXPECT_EQ(make_buckets(lenet_ranges(), "flat"), (std::vector<Range>{{0, 129068}}));
}

TEST(Buckets, SizesGroupFromTheLastTensorAndCoverEachElementOnce) {
  for (const char* size : {"4", "1K", "100K", "410K", "25M"}) {
    const auto buckets = make_buckets(lenet_ranges(), size);
    EXPECT_EQ(buckets.front().end(), 129068u) << "the backward pass finishes the last layer first";
    expect_covers(buckets, 129068);
  }
  EXPECT_EQ(make_buckets(lenet_ranges(), "25M").size(), 1u);
  EXPECT_EQ(make_buckets(lenet_ranges(), "4").size(), 8u);
  // fc2 (5,160 B) and fc1.bias (512 B) share a bucket; fc1.weight alone is larger than 100 KiB.
  EXPECT_EQ(make_buckets(lenet_ranges(), "100K").front().count, 1290u + 128u);
}

TEST(Buckets, RefusesWhatIsNoSize) {
  for (const char* bad : {"tensors", "", "-1", "25 M", "0x10"})
    EXPECT_THROW(make_buckets(lenet_ranges(), bad), Error);
}

}  // namespace
}  // namespace dpx
