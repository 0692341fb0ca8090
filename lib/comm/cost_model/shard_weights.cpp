#include "lib/comm/cost_model/shard_weights.hpp"

#include <numeric>

namespace dpx {

std::vector<double> exact_mean_scales(const std::vector<std::int64_t>& shard_sizes) {
  const double total = double(std::accumulate(shard_sizes.begin(), shard_sizes.end(), std::int64_t(0)));
  std::vector<double> scales;
  for (const std::int64_t size : shard_sizes)
    scales.push_back(double(shard_sizes.size()) * double(size) / total);
  return scales;
}

std::vector<double> mean_of_means_weights(const std::vector<std::int64_t>& shard_sizes) {
  std::vector<double> weights;
  for (const double scale : exact_mean_scales(shard_sizes)) weights.push_back(1 / scale);
  return weights;
}

}  // namespace dpx
