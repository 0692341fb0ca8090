#include "lib/data/batches.hpp"

#include <gtest/gtest.h>

namespace dpx {
namespace {

TEST(Batches, OfFashionMnistAt256) {
  EXPECT_EQ(num_batches(60'000, 256), 235u);
  EXPECT_EQ(batch_range(60'000, 256, 0), (Range{0, 256}));
  EXPECT_EQ(batch_range(60'000, 256, 233), (Range{59'648, 256}));
  EXPECT_EQ(batch_range(60'000, 256, 234), (Range{59'904, 96}));
  EXPECT_EQ(num_batches(10'000, 256), 40u);
  EXPECT_EQ(batch_range(10'000, 256, 39).count, 16u);
}

TEST(Batches, FewerExamplesThanABatchOrNone) {
  EXPECT_EQ(num_batches(10, 256), 1u);
  EXPECT_EQ(batch_range(10, 256, 0), (Range{0, 10}));
  EXPECT_EQ(num_batches(0, 256), 0u);
  EXPECT_EQ(batch_range(0, 256, 0).count, 0u);
}

TEST(Batches, ShardsOfAnUnevenBatch) {
  const auto sizes = [](std::size_t batch, std::size_t k) {
    std::vector<std::size_t> counts;
    for (std::size_t rank = 0; rank < k; ++rank) counts.push_back(part_of({0, batch}, k, rank).count);
    return counts;
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes(5, 2), (Sizes{3, 2}));
  EXPECT_EQ(sizes(257, 2), (Sizes{129, 128}));
  EXPECT_EQ(sizes(256, 3), (Sizes{86, 85, 85}));
  EXPECT_EQ(sizes(5, 4), (Sizes{2, 1, 1, 1}));
  EXPECT_EQ(sizes(9, 8), (Sizes{2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes(10, 4), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sizes(3, 4), (Sizes{1, 1, 1, 0}));
}

TEST(ShuffledOrder, DependsOnSeedAndEpoch) {
  EXPECT_EQ(shuffled_order(1000, 1, 2), shuffled_order(1000, 1, 2));
  EXPECT_NE(shuffled_order(1000, 1, 2), shuffled_order(1000, 1, 3));
  EXPECT_NE(shuffled_order(1000, 1, 2), shuffled_order(1000, 2, 2));
}

TEST(ShuffledOrder, PutsEveryExampleEverywhereEquallyOften) {
  constexpr int kRuns = 6000;
  int count[3][3] = {};
  for (int epoch = 0; epoch < kRuns; ++epoch) {
    const auto order = shuffled_order(3, 9, epoch);
    for (int place = 0; place < 3; ++place) ++count[place][order[std::size_t(place)]];
  }
  for (const auto& row : count)
    for (int n : row) EXPECT_NEAR(n, kRuns / 3, 200);  // 5.5 standard deviations
}

}  // namespace
}  // namespace dpx
