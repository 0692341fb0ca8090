#include "kernels/cuda/driver_status.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "lib/core/names.hpp"

namespace dpx::cuda {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_no_device(const DriverFacts& facts) {
  if (facts.error == 0 && facts.devices > 0) return "";
  if (facts.driver == 0)
    return "there is no NVIDIA driver on this machine (or it is not visible in this container)";
  if (facts.driver / 1000 < facts.runtime / 1000)
    return fmt::format("the NVIDIA driver is too old: it serves CUDA {}, this dpx was built with CUDA {}",
                       version_text(facts.driver), version_text(facts.runtime));
  constexpr int kNoDevice = 100;
  if (facts.error == 0 || facts.error == kNoDevice)
    return fmt::format("the NVIDIA driver (CUDA {}) shows no GPU{}", version_text(facts.driver), facts.limit);
  return fmt::format("the NVIDIA driver (CUDA {}) fails: {}{}", version_text(facts.driver), facts.error_text,
                     facts.limit);
}

bool code_runs_on(const std::string& architectures, int capability) {
  for (const std::string& architecture : split(architectures, ','))
    if (std::atoi(architecture.c_str()) <= capability)
      return true;  // PTX of an older one is compiled at load
  return false;
}

}  // namespace dpx::cuda
