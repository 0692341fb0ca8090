#pragma once
// The step's time from fitted constants, for any algorithm and number of buffers, and what would make k
// devices pay. scaling.hpp holds the same questions for the chapter's ring of one buffer.
#include <optional>
#include <string>

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {

/// Constants of a step. `fixed_s` is paid on every device however small its shard; `per_example_s` shrinks
/// with it.
struct StepCost {
  double fixed_s = 0, per_example_s = 0;
  double gradient_bytes = 0;
  int runs = 1;  ///< allreduces per step, of `gradient_bytes` in all
  std::string algo = "ring";
  Wiring wiring = Wiring::full_duplex;
  AlphaBeta link;

  CommTime comm(int k) const { return allreduce_terms(algo, k, gradient_bytes, runs, wiring).time(link); }
  /// With `shard` examples on the device that has most.
  double step_s(int k, double shard) const { return fixed_s + per_example_s * shard + comm(k).total_s(); }
};

/// Bandwidth above which k devices beat one at the global batch B: path bytes / (c (B - B/k) - starts alpha);
/// empty when no bandwidth suffices. Units: bytes/s. Source: chapter, exercise 7.1 with 13.5.2's algorithm
/// left open.
std::optional<double> break_even_bandwidth_Bps(const StepCost& cost, int k, double batch);

/// Global batch above which k devices beat one: comm(k) / (c (1 - 1/k)); empty when c = 0. Units: examples.
/// Source: as above, solved for B.
std::optional<double> break_even_batch(const StepCost& cost, int k);

/// The k in 1..max_k with the shortest step at the global batch B; the smallest such k. World sizes that the
/// algorithm does not have are passed over. Source: minimum of chapter, equation 13.5.2.
int best_world_size(const StepCost& cost, double batch, int max_k);

/// Units: seconds.
struct Fusion {
  double apart_s = 0, fused_s = 0;
  double ratio() const { return apart_s / fused_s; }
};
/// The allreduces' time on k devices, and the time as one buffer: what fusing them would save. Source:
/// chapter, exercise 4.3.
Fusion fusion(const StepCost& cost, int k);

}  // namespace dpx
