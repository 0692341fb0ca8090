#pragma once
// Bytes that batch normalization over all shards exchanges.
#include <cstdint>

namespace dpx {

/// Per device and step: a sum and a sum of squares per channel in the forward pass, as many sums in the
/// backward pass, and where shards differ in size one count.
struct BatchNormTraffic {
  std::int64_t forward_bytes = 0, backward_bytes = 0;
};

/// 2 sums x 4 bytes per channel each way; uneven shards add a 4-byte count in the forward pass. Units: bytes.
/// Source: chapter, exercise 3.2.
BatchNormTraffic batch_norm_traffic(std::int64_t channels, bool uneven_shards = false);

}  // namespace dpx
