#pragma once
// The order of the examples in an epoch, and the minibatches cut from it. Neither depends on the number of
// devices: a rank's shard is its part (lib/core/range.hpp) of a minibatch, so every k trains on the same
// minibatches.
#include <cstdint>
#include <vector>

#include "lib/core/range.hpp"

namespace dpx {

/// 0..n-1 in an order that depends on `seed` and `epoch` only (Fisher-Yates). Units: n up to 2^31 - 1.
std::vector<std::int32_t> shuffled_order(std::size_t n, std::uint64_t seed, int epoch);

/// Minibatches of `batch` (>= 1) examples in `n`; the last one may be smaller: 60,000 at 256 are 235.
std::size_t num_batches(std::size_t n, std::size_t batch);

/// Places of minibatch `step` in the order: of 60,000 at 256, step 234 is the last 96.
Range batch_range(std::size_t n, std::size_t batch, std::size_t step);

}  // namespace dpx
