#include "kernels/cuda/gpu_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpx::cuda {
namespace {

bool alike(const GpuFacts& a, const GpuFacts& b) {
  const auto [less, more] = std::minmax(a.memory_bytes, b.memory_bytes);
  return a.name == b.name && a.capability == b.capability && a.multiprocessors == b.multiprocessors &&
         double(less) >= 0.75 * double(more);  // ECC and drivers take a few per cent
}

/// A GPU and the ordinals, "cuda:0,2", of those that are like it.
struct Kind {
  GpuFacts gpu;
  std::vector<int> ordinals;
  std::string names;
};

std::vector<Kind> kinds_of(const std::vector<int>& ordinals, const std::vector<GpuFacts>& gpus) {
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return alike(k.gpu, gpus[i]); });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind{gpus[i], {}, {}});
    if (std::find(kind->ordinals.begin(), kind->ordinals.end(), ordinals[i]) != kind->ordinals.end())
      continue;  // replicas that share a GPU
    kind->names += fmt::format("{}{}", kind->ordinals.empty() ? "cuda:" : ",", ordinals[i]);
    kind->ordinals.push_back(ordinals[i]);
  }
  return kinds;
}

}  // namespace

std::string describe(const GpuFacts& gpu) {
  return fmt::format("{}, sm_{}, {} multiprocessors, {:.1f} GiB", gpu.name, gpu.capability,
                     gpu.multiprocessors, double(gpu.memory_bytes) / double(1u << 30));
}

std::string how_mixed(const std::vector<int>& ordinals, const std::vector<GpuFacts>& gpus) {
  const std::vector<Kind> kinds = kinds_of(ordinals, gpus);
  if (kinds.size() < 2) return "";
  std::string text = "the GPUs differ: ";
  for (const Kind& kind : kinds)
    text +=
        fmt::format("{} {} {}; ", kind.names, kind.ordinals.size() == 1 ? "is" : "are", describe(kind.gpu));
  return text + "all wait for the slowest";
}

}  // namespace dpx::cuda
