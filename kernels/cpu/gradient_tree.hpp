#pragma once
// The order in which micro-shard gradients are added: a fixed pairwise tree over their index, in bounded
// memory.
#include <cstddef>
#include <vector>

#include "kernels/cpu/workspace.hpp"
#include "lib/core/range.hpp"

namespace dpx::cpu {

/// Sums gradients given one after the other. Two neighbouring sums merge as soon as they cover equally many
/// gradients, and what is left merges from the right:
///   after 0: 0 | 1: 01 | 2: 01 2 | 3: 0123 | 4: 0123 4 | 5: 0123 45 | 6: 0123 45 6 | finish: (0123)((45)6)
/// So the result depends on the gradients only, and the sum of 2m is the sum of the first m plus that of the
/// last m when m is a power of two. n gradients need at most log2(n) + 1 sums beside those being computed.
/// Merges are planned by `push` and `finish` and carried out by `apply`, which can run on disjoint slices at
/// once.
class GradientTree {
 public:
  /// For at most `max_leaves` gradients, `wave` of them between two calls of `apply`.
  GradientTree(std::size_t num_params, std::size_t wave, std::size_t max_leaves);
  /// Starts a new sum, whose place is `sum`: the first gradient is computed there and all others are added to
  /// it.
  void start(float* sum);
  /// A buffer for the next gradient, free until that has been pushed and merged.
  float* take();
  void push(float* leaf);
  void finish();
  /// Carries out the planned merges on elements `slice`.
  void apply(Range slice) const;
  /// All slices have been applied.
  void clear_plan() { plan_.clear(); }
  bool has_plan() const { return !plan_.empty(); }

 private:
  struct Sum {
    float* data;
    std::size_t leaves;
  };
  struct Merge {
    float* dst;
    const float* src;
  };
  void merge_last_two();

  std::vector<Array<float>> buffers_;
  std::vector<float*> free_;
  std::vector<Sum> sums_;  // of neighbouring gradients, left to right
  std::vector<Merge> plan_;
};

}  // namespace dpx::cpu
