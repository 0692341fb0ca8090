#pragma once
// The CUDA backend, as libdpx_cuda.so hands it to libdpx.so.
#include <string>
#include <vector>

#include "lib/backend/backend.hpp"

namespace dpx::cuda {

/// The GPUs that a request means, by ordinal. `visible`: how many there are; `limit`: why no more,
/// " (CUDA_VISIBLE_DEVICES=3,1)", or empty.
/// Errors: Exit::unavailable naming the count, and what else would work.
std::vector<int> chosen_ordinals(const DeviceRequest& request, int visible, const std::string& limit);

}  // namespace dpx::cuda

/// Entry point: a new backend (the caller's to delete), or null and the reason why there is none.
extern "C" dpx::Backend* dpx_cuda_backend(std::string* reason);
