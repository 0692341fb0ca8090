#include <fmt/format.h>

#include <numeric>

#include "kernels/cuda/cuda_backend.hpp"

namespace dpx::cuda {

std::vector<int> chosen_ordinals(const DeviceRequest& request, int visible, const std::string& limit) {
  const std::string gpus = fmt::format("{} GPU{} visible{}", visible, visible == 1 ? " is" : "s are", limit);
  if (request.ordinals.empty()) {
    if (request.count > visible) {
      std::string shared = "cuda:0";
      for (int i = 1; i < request.count; ++i) shared += fmt::format(",{}", i % visible);
      throw Error(
          Exit::unavailable,
          fmt::format(
              "{} devices asked for, {}; replicas can share a GPU: --devices {}, or use --backend cpu",
              request.count, gpus, shared));
    }
    std::vector<int> all(std::size_t(request.count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> chosen(
      request.ordinals.begin(),
      request.ordinals.begin() + std::min<std::ptrdiff_t>(request.count, std::ssize(request.ordinals)));
  for (const int ordinal : chosen)
    if (ordinal >= visible)
      throw Error(Exit::unavailable, fmt::format("--devices: cuda:{} asked for, {}: the last is cuda:{}",
                                                 ordinal, gpus, visible - 1));
  return chosen;
}

}  // namespace dpx::cuda
