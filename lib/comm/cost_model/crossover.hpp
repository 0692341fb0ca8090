#pragma once
// Message sizes at which one term or one algorithm takes over from another.
#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// Size at which a ring's latency equals its bandwidth term: k alpha beta. Units: bytes. Source: lesson, "Try
/// it" 1.
double latency_equals_bandwidth_bytes(int k, AlphaBeta link);

/// Size below which the tree beats the ring: alpha beta [(k-1) - L] / [L - (k-1)/k], L = ceil(log2 k); 0
/// where it never does (k = 1, 2, 3). Units: bytes. Source: chapter, exercise 4.2; lesson, "Try it" 2.
double tree_ring_crossover_bytes(int k, AlphaBeta link);

}  // namespace dpx
