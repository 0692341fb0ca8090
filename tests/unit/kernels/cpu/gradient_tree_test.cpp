#include "kernels/cpu/gradient_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "lib/core/philox.hpp"

namespace dpx {
namespace {

constexpr std::size_t kParams = 5000;  // more than one run of elements

float leaf_value(std::size_t leaf, std::size_t i) {
  return float(philox_normal(1, std::uint32_t(leaf), i % 64));
}

// The definition: the largest power of two that fits, then the rest.
float tree_sum(std::size_t first, std::size_t count, std::size_t i) {
  if (count == 1) return leaf_value(first, i);
  const std::size_t left = std::bit_floor(count - 1);
  return tree_sum(first, left, i) + tree_sum(first + left, count - left, i);
}

// Gives `leaves` gradients to the tree, `wave` at a time, and merges in `parts` slices.
std::vector<float> run_tree(std::size_t leaves, std::size_t wave, std::size_t parts) {
  cpu::GradientTree tree(kParams, wave, leaves);
  std::vector<float> sum(kParams, -1.0f);
  tree.start(sum.data());
  for (std::size_t first = 0; first < leaves; first += wave) {
    std::vector<float*> buffers;
    for (std::size_t leaf = first; leaf < std::min(first + wave, leaves); ++leaf) {
      buffers.push_back(tree.take());
      for (std::size_t i = 0; i < kParams; ++i) buffers.back()[i] = leaf_value(leaf, i);
    }
    EXPECT_EQ(std::set<float*>(buffers.begin(), buffers.end()).size(), buffers.size());
    for (float* buffer : buffers) tree.push(buffer);
    if (first + wave >= leaves) tree.finish();
    for (std::size_t part = 0; part < parts; ++part) tree.apply(part_of({0, kParams}, parts, part));
    tree.clear_plan();
  }
  return sum;
}

TEST(GradientTree, AddsPairwiseByIndexWhateverTheWave) {
  for (std::size_t leaves : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 21})
    for (std::size_t wave : {1, 2, 3, 4, 6, 8}) {
      std::vector<float> expected(kParams);
      for (std::size_t i = 0; i < kParams; ++i)
        expected[i] = i < 64 ? tree_sum(0, leaves, i) : expected[i % 64];
      EXPECT_EQ(run_tree(leaves, wave, 1 + wave % 3), expected) << leaves << " gradients, wave " << wave;
    }
}

TEST(GradientTree, OrderOfSumsMatters) {  // else the test above could not fail
  float in_order = leaf_value(0, 0);
  bool differs = false;
  for (std::size_t i = 0; i < 64; ++i) {
    in_order = leaf_value(0, i);
    for (std::size_t leaf = 1; leaf < 8; ++leaf) in_order += leaf_value(leaf, i);
    differs = differs || in_order != tree_sum(0, 8, i);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace dpx
