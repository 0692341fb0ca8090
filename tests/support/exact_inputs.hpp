#pragma once
// Inputs whose sum is exact in fp32 and differs by rank and index, so that any lost, doubled or misplaced
// element shows.
#include <cstddef>
#include <vector>

namespace dpx::test {

/// Rank r's buffer: (r + 1) * (index % 1021 + 1), smaller than the product's own exact_input so that the sum
/// of sums of 17 ranks is exact, too.
std::vector<float> exact_input(int rank, std::size_t count);
/// The sum over `world_size` ranks of exact_input.
std::vector<float> exact_sum(int world_size, std::size_t count);

}  // namespace dpx::test
