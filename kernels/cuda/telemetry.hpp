#pragma once
// What NVML says of a GPU while it is measured; the library is loaded at run time where there is one.
#include <string>
#include <vector>

#include "lib/backend/backend.hpp"

namespace dpx::cuda {

/// Readings now, one per GPU that NVML knows of `bus_ids`; nothing without NVML. Clocks are read, never set.
std::vector<GpuState> read_gpu_states(const std::vector<std::string>& bus_ids);

/// Why the GPU at one bus id has no peer access to the one at the other; empty where NVML cannot tell.
std::string why_no_peer(const std::string& from, const std::string& to);

/// NVML's throttle reasons in words: "power cap, thermal"; empty where nothing slows the GPU (an idle GPU and
/// clocks that the user chose do not).
std::string throttle_words(unsigned long long reasons);

}  // namespace dpx::cuda
