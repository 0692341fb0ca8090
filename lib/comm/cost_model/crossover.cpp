#include "lib/comm/cost_model/crossover.hpp"

namespace dpx {

double latency_equals_bandwidth_bytes(int k, AlphaBeta link) {
  return k * link.alpha_s * link.beta_Bps;
}

double tree_ring_crossover_bytes(int k, AlphaBeta link) {
  const double levels = tree_levels(k), steps = k - 1;
  if (steps <= levels) return 0;
  return link.alpha_s * link.beta_Bps * (steps - levels) / (levels - steps / k);
}

}  // namespace dpx
