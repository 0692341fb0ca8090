#include "kernels/cuda/nccl_rules.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace dpx::cuda {
namespace {

/// Versions of NCCL's sources that read a variable, both ends included.
struct KnownVariable {
  const char *name, *versions;
};
constexpr KnownVariable kComeAndGone[] = {
    {"NCCL_SHM_USE_CUDA_MEMCPY", "2.13.4 to 2.30.4 do"},   {"NCCL_SHM_MEMCPY_MODE", "2.13.4 to 2.30.4 do"},
    {"NCCL_CREATE_THREAD_CONTEXT", "2.13.4 to 2.30.4 do"}, {kMultiRankVariable, "2.30.3 and later do"},
    {"NCCL_P2P_USE_CUDA_MEMCPY", "2.13.4 and later do"},   {"NCCL_SHM_LOCALITY", "2.13.4 and later do"}};

constexpr const char* kOwnWorks = "--algo star, ring or direct works there";

}  // namespace

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

bool switches_on(const char* value) {
  return value != nullptr && std::strtoll(value, nullptr, 0) != 0;
}

std::string why_not_nccl(const std::vector<std::string>& bus_ids, int version, bool shares) {
  constexpr int kCanShareGpus = 23003;  // 2.30.3
  const bool can_share = version >= kCanShareGpus;
  if (can_share && shares) return "";
  for (std::size_t a = 0; a < bus_ids.size(); ++a)
    for (std::size_t b = a + 1; b < bus_ids.size(); ++b)
      if (bus_ids[a] == bus_ids[b])
        return fmt::format(
            "--algo nccl: ranks {} and {} share GPU {}, and NCCL {} takes {} ({}); {}", a, b, bus_ids[a],
            nccl_version_text(version),
            can_share ? fmt::format("more than one rank per GPU only where {}=1 is set", kMultiRankVariable)
                      : "one rank per GPU",
            can_share ? "experimental, may hang" : "2.30.3 and later take more", kOwnWorks);
  return "";
}

std::string absent_variable(const std::string& name, int version) {
  std::string text = fmt::format("NCCL {} does not read {}", nccl_version_text(version), name);
  for (const KnownVariable& known : kComeAndGone)
    if (name == known.name) text += fmt::format(" ({})", known.versions);
  return text;
}

}  // namespace dpx::cuda
