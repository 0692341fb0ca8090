#include "kernels/cpu/gradient_tree.hpp"

#include <algorithm>
#include <bit>

#include "kernels/cpu/vector_ops.hpp"

namespace dpx::cpu {

GradientTree::GradientTree(std::size_t num_params, std::size_t wave, std::size_t max_leaves) {
  const std::size_t count = std::min(max_leaves, wave + std::size_t(std::bit_width(max_leaves)));
  for (std::size_t i = 1; i < count; ++i) buffers_.emplace_back(num_params);  // the caller brings the first
  free_.reserve(buffers_.size() + 1);
}

void GradientTree::start(float* sum) {
  sums_.clear();
  plan_.clear();
  free_.clear();
  for (Array<float>& buffer : buffers_) free_.push_back(buffer.data());
  free_.push_back(sum);  // taken first
}

float* GradientTree::take() {
  float* leaf = free_.back();
  free_.pop_back();
  return leaf;
}

void GradientTree::merge_last_two() {
  const Sum right = sums_.back();
  sums_.pop_back();
  plan_.push_back({sums_.back().data, right.data});
  sums_.back().leaves += right.leaves;
  free_.push_back(right.data);
}

void GradientTree::push(float* leaf) {
  sums_.push_back({leaf, 1});
  while (sums_.size() > 1 && sums_[sums_.size() - 2].leaves == sums_.back().leaves) merge_last_two();
}

void GradientTree::finish() {
  while (sums_.size() > 1) merge_last_two();
}

void GradientTree::apply(Range slice) const {
  constexpr std::size_t kStep = 4096;  // all merges of a run of elements while it is in the L1 cache
  for (std::size_t first = slice.first; first < slice.end(); first += kStep) {
    const std::size_t count = std::min(kStep, slice.end() - first);
    for (const Merge& m : plan_) add(m.dst + first, m.src + first, count);
  }
}

}  // namespace dpx::cpu
