#include "lib/comm/cost_model/batch_norm.hpp"

namespace dpx {

BatchNormTraffic batch_norm_traffic(std::int64_t channels, bool uneven_shards) {
  constexpr std::int64_t kSums = 2, kBytes = 4;
  return {channels * kSums * kBytes + (uneven_shards ? kBytes : 0), channels * kSums * kBytes};
}

}  // namespace dpx
