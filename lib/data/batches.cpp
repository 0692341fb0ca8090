#include "lib/data/batches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/core/philox.hpp"

namespace dpx {

std::vector<std::int32_t> shuffled_order(std::size_t n, std::uint64_t seed, int epoch) {
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = n; i-- > 1;) {
    const auto j =
        philox_below(std::uint32_t(i + 1), seed, std::uint32_t(Draw::shuffle), i, std::uint32_t(epoch));
    std::swap(order[i], order[j]);
  }
  return order;
}

std::size_t num_batches(std::size_t n, std::size_t batch) {
  return n / batch + (n % batch != 0);
}

Range batch_range(std::size_t n, std::size_t batch, std::size_t step) {
  const std::size_t first = std::min(n, step * batch);
  return {first, std::min(batch, n - first)};
}

}  // namespace dpx
