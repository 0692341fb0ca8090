#pragma once
// Weight that averaging the shards' means gives an example, and the factor that makes it exact.
#include <cstdint>
#include <vector>

namespace dpx {

/// Weight of one example of shard i in the mean of the k shards' means, over its weight in the mean of all:
/// sum(n) / (k n_i). Source: chapter, exercise 2.2.
std::vector<double> mean_of_means_weights(const std::vector<std::int64_t>& shard_sizes);

/// Factor on shard i's mean that makes the mean of means exact: k n_i / sum(n). Source: chapter, exercise
/// 2.3.
std::vector<double> exact_mean_scales(const std::vector<std::int64_t>& shard_sizes);

}  // namespace dpx
