#include "kernels/cuda/transport.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/error.hpp"

namespace dpx::cuda {

std::string name_of(Transport transport) {
  switch (transport) {
    case Transport::local:
      return "local";
    case Transport::peer:
      return "peer";
    case Transport::staged:
      return "staged";
    case Transport::driver:
      return "driver";
    case Transport::mapped:
      return "mapped";
  }
  return "";
}

// nvmlGpuP2PStatus_t as nvml.h numbers it.
std::string peer_status_words(int nvml_status) {
  switch (nvml_status) {
    case 1:
      return "the chipset does not support it";
    case 2:
      return "this GPU model does not support it";
    case 3:
      return "the two hang on I/O hubs that do not pass it on";
    case 4:
      return "the driver's settings disable it";
    case 5:
      return "it is not supported here";
    default:
      return "";
  }
}

PairChoice without_peer(const std::string& wanted, const PairFacts& pair, const std::string& fault) {
  if (wanted == "peer")
    throw Error(Exit::unavailable,
                fmt::format("--transport peer: {} to {}: {}; --transport auto or staged works", pair.from,
                            pair.to, pair.same_gpu ? "the two share one GPU" : fault));
  if (pair.same_gpu) return {Transport::local, "the two share one GPU"};
  return {Transport::staged, fault};
}

std::string describe(const std::vector<PairChoice>& pairs) {
  std::vector<std::string> names;
  for (const PairChoice& pair : pairs) {
    const std::string name = name_of(pair.transport);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return "local";
  std::sort(names.begin(), names.end());
  std::string text = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) text += "+" + names[i];
  return text;
}

}  // namespace dpx::cuda
