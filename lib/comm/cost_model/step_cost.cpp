#include "lib/comm/cost_model/step_cost.hpp"

#include <cmath>

#include "lib/core/error.hpp"

namespace dpx {

std::optional<double> break_even_bandwidth_Bps(const StepCost& cost, int k, double batch) {
  const CommTerms terms = allreduce_terms(cost.algo, k, cost.gradient_bytes, cost.runs, cost.wiring);
  const double left_s = cost.per_example_s * batch * (1 - 1.0 / k) - terms.starts * cost.link.alpha_s;
  if (left_s <= 0) return std::nullopt;
  return terms.path_bytes / left_s;
}

std::optional<double> break_even_batch(const StepCost& cost, int k) {
  if (cost.per_example_s <= 0) return std::nullopt;
  return cost.comm(k).total_s() / (cost.per_example_s * (1 - 1.0 / k));
}

int best_world_size(const StepCost& cost, double batch, int max_k) {
  int best = 1;
  double best_s = cost.step_s(1, batch);
  for (int k = 2; k <= max_k; ++k) {
    try {
      const double time_s = cost.step_s(k, std::ceil(batch / k));
      if (time_s < best_s) best = k, best_s = time_s;
    } catch (const Error&) {  // halving-doubling: powers of two only
    }
  }
  return best;
}

Fusion fusion(const StepCost& cost, int k) {
  StepCost fused = cost;
  fused.runs = 1;
  return {cost.comm(k).total_s(), fused.comm(k).total_s()};
}

}  // namespace dpx
