#pragma once
// What GPUs are, and whether some of them differ. No CUDA here: tested without a GPU.
#include <cstddef>
#include <string>
#include <vector>

namespace dpx::cuda {

struct GpuFacts {
  std::string name;
  int capability = 0;  ///< 10 major + minor
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

/// "NVIDIA H200, sm_90, 132 multiprocessors, 139.8 GiB"
std::string describe(const GpuFacts& gpu);

/// One sentence where GPUs that work together differ in name, capability or multiprocessors, or in memory by
/// more than a quarter of the largest: every kind with its GPUs. Empty where all are alike. `gpus[i]` is that
/// of `ordinals[i]`.
std::string how_mixed(const std::vector<int>& ordinals, const std::vector<GpuFacts>& gpus);

}  // namespace dpx::cuda
