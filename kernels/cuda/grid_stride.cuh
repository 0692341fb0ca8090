#pragma once
// Loops over any length with any grid.
#include <cstddef>

namespace dpx::cuda {

/// First element of this thread and distance to its next one.
__device__ inline std::size_t first_element() {
  return std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t element_stride() {
  return std::size_t(gridDim.x) * blockDim.x;
}

}  // namespace dpx::cuda
