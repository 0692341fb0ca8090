// For every number of examples, batch size and number of ranks: nothing is lost, doubled or moved to another
// minibatch.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/data/batches.hpp"

namespace dpx {
namespace {

constexpr std::size_t kMaxRanks = 17;
const std::size_t kCounts[] = {0, 1, 2, 3, 5, 16, 17, 18, 96, 255, 256, 257, 513, 1000, 10'000};
const std::size_t kBatchSizes[] = {1, 2, 3, 16, 17, 96, 256, 10'000};

TEST(BatchesProperty, EveryExampleExactlyOnceForEveryK) {
  for (std::size_t n : kCounts) {
    const auto order = shuffled_order(n, 3, 1);
    for (std::size_t batch : kBatchSizes)
      for (std::size_t k = 1; k <= kMaxRanks; ++k) {
        std::vector<int> seen(n, 0);
        for (std::size_t step = 0; step < num_batches(n, batch); ++step)
          for (std::size_t rank = 0; rank < k; ++rank) {
            const Range shard = part_of(batch_range(n, batch, step), k, rank);
            for (std::size_t i = shard.first; i < shard.end(); ++i) ++seen[std::size_t(order[i])];
          }
        ASSERT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }))
            << n << ' ' << batch << ' ' << k;
      }
  }
}

TEST(BatchesProperty, ShardsOfAStepAreItsMinibatchInOrderAndDifferByAtMostOne) {
  for (std::size_t n : kCounts)
    for (std::size_t batch : kBatchSizes)
      for (std::size_t step = 0; step < num_batches(n, batch); ++step) {
        const Range whole = batch_range(n, batch, step);
        ASSERT_GT(whole.count, 0u);
        for (std::size_t k = 1; k <= kMaxRanks; ++k) {
          std::size_t next = whole.first, smallest = whole.count, largest = 0;
          for (std::size_t rank = 0; rank < k; ++rank) {
            const Range shard = part_of(whole, k, rank);
            ASSERT_EQ(shard.first, next);
            next = shard.end();
            smallest = std::min(smallest, shard.count);
            largest = std::max(largest, shard.count);
          }
          ASSERT_EQ(next, whole.end());  // so the minibatch is the same for every k
          ASSERT_LE(largest - smallest, 1u);
        }
      }
}

TEST(BatchesProperty, OnlyTheLastMinibatchIsSmaller) {
  for (std::size_t n : kCounts)
    for (std::size_t batch : kBatchSizes) {
      std::size_t total = 0;
      for (std::size_t step = 0; step < num_batches(n, batch); ++step) {
        const Range range = batch_range(n, batch, step);
        ASSERT_EQ(range.first, total);
        if (step + 1 < num_batches(n, batch)) {
          ASSERT_EQ(range.count, batch);
        }
        total += range.count;
      }
      ASSERT_EQ(total, n);
    }
}

TEST(BatchesProperty, OrderIsAPermutation) {
  for (std::size_t n : kCounts)
    for (int epoch : {0, 1, 2}) {
      const auto order = shuffled_order(n, 0, epoch);
      const std::set<std::int32_t> rows(order.begin(), order.end());
      ASSERT_EQ(rows.size(), n);
      if (n > 0) {
        ASSERT_EQ(*rows.begin(), 0);
        ASSERT_EQ(*rows.rbegin(), std::int32_t(n - 1));
      }
    }
}

}  // namespace
}  // namespace dpx
