#pragma once
// Launch sizes.
#include <algorithm>
#include <cstddef>

#include "kernels/cuda/check.hpp"

namespace dpx::cuda {

inline constexpr unsigned kThreads = 256;

/// Blocks for a grid-stride loop over `n` > 0 elements: enough to fill any GPU, not more than are useful.
inline unsigned blocks_for(std::size_t n) {
  constexpr std::size_t kMaxBlocks = 2048;
  return unsigned(std::min((n + kThreads - 1) / kThreads, kMaxBlocks));
}

}  // namespace dpx::cuda
