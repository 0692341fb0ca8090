#pragma once
// Pipeline parallelism beside data parallelism: bytes between two devices, and idle time.

namespace dpx {

/// A stack of equal fully connected layers without biases, trained on two devices.
struct LayerStack {
  double layers = 0;  ///< L
  double width = 0;   ///< d
  double batch = 0;   ///< B
  double bytes_per_value = 4;
};

/// Bytes of the stack's weights, hence of its gradients: 4 L d^2. Units: bytes. Source: chapter, exercise
/// 1.1.
double stack_gradient_bytes(const LayerStack& stack);

/// What crosses between two devices per step when data parallel, both directions together: twice the
/// gradients. Units: bytes. Source: chapter, exercise 1.1.
double data_parallel_crossing_bytes(const LayerStack& stack);

/// What crosses the cut per step when pipelined: B d activations forward and their gradient back, 2 x 4 B d.
/// Units: bytes. Source: chapter, exercise 1.1.
double pipeline_crossing_bytes(const LayerStack& stack);

/// Batch above which data parallelism moves fewer bytes than the pipeline: L d. Units: examples. Source:
/// chapter, exercise 1.1.
double data_parallel_wins_above_batch(const LayerStack& stack);

/// Part of the step during which each device idles: (stages - 1) / (m + stages - 1), for two stages 1/(m+1).
/// Source: chapter, exercise 1.2; Huang et al. 2019.
double bubble_fraction(int micro_batches, int stages = 2);

}  // namespace dpx
