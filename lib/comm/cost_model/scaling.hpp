#pragma once
// Step time on k devices, speedups and what decides them.
#include <cstdint>
#include <optional>

#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// Constants of one training step. A shard of b examples computes for t0_s + c_s_per_example b; gradients
/// are reduced by a ring.
struct StepModel {
  double t0_s = 0, c_s_per_example = 0;
  double batch = 0;  ///< B: global batch of strong scaling, batch per device of weak scaling
  double gradient_bytes = 0;
  AlphaBeta link;
  int accumulate = 1;  ///< micro-batches per step; t0 is paid for each, the allreduce once
};

struct StepTime {
  double compute_s = 0;
  CommTime comm;
  double total_s() const { return compute_s + comm.total_s(); }
};

/// Step at the fixed global batch B: a t0 + cB/k + 2(k-1)(alpha + N/(k beta)). Units: seconds. Source:
/// chapter, equation 13.5.4; alpha as in exercise 4.1.
StepTime strong_step(const StepModel& model, int k);

/// Step with B examples on every device: a t0 + cB + 2(k-1)(alpha + N/(k beta)). Units: seconds. Source:
/// chapter, section 13.5.4 (weak scaling).
StepTime weak_step(const StepModel& model, int k);

/// t(1) / t(k) of strong_step. Source: chapter, exercise 7.
double strong_speedup(const StepModel& model, int k);

/// Throughput on k devices over throughput on one: k t(1) / t(k) of weak_step. Source: chapter, section
/// 13.5.4.
double weak_speedup(const StepModel& model, int k);

/// What strong_speedup approaches for k -> infinity without latency: (a t0 + cB) / (a t0 + 2N/beta); with
/// alpha > 0 it falls to 0 instead. Source: chapter, exercise 7.1.
double strong_limit(const StepModel& model);

/// What weak_speedup / k approaches without latency: (a t0 + cB) / (a t0 + cB + 2N/beta); with alpha > 0 it
/// falls to 0 instead. Source: chapter, section 13.5.4 with equation 13.5.1.
double weak_efficiency_limit(const StepModel& model);

/// Bandwidth above which k devices beat one: 2N / (cB - 2k alpha); the same for every k when alpha = 0, least
/// at k = 2 otherwise. Empty when no bandwidth suffices. Units: bytes/s. Source: chapter, exercise 7.1.
std::optional<double> break_even_bandwidth_Bps(const StepModel& model, int k = 2);

/// Global batch above which k devices beat one: (2k alpha + 2N/beta) / c; empty when c = 0. Units: examples.
/// Source: chapter, exercise 7.1, solved for B.
std::optional<double> break_even_batch(const StepModel& model, int k = 2);

/// The k in 1..max_k with the shortest strong step; the smallest such k. Without alpha it is max_k or 1;
/// else near sqrt((cB - 2N/beta) / (2 alpha)). Source: minimum of chapter, equation 13.5.4 with exercise
/// 4.1's alpha.
int best_world_size(const StepModel& model, int max_k);

/// Steps of an epoch, a ragged last batch included: ceil(examples / batch). Source: chapter, exercise 9.2.
std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch);

}  // namespace dpx
