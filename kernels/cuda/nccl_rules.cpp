#include <fmt/format.h>

#include "kernels/cuda/nccl_reducer.hpp"

namespace dpx::cuda {

std::string why_not_nccl(const std::vector<std::string>& bus_ids, int version) {
  constexpr int kSharesGpus = 23003;  // 2.30.3
  if (version >= kSharesGpus) return "";
  for (std::size_t a = 0; a < bus_ids.size(); ++a)
    for (std::size_t b = a + 1; b < bus_ids.size(); ++b)
      if (bus_ids[a] == bus_ids[b])
        return fmt::format(
            "--algo nccl: ranks {} and {} share GPU {}, and NCCL {}.{}.{} takes one rank per GPU "
            "(2.30.3 and later take more); --algo star, ring or direct works there",
            a, b, bus_ids[a], version / 10000, version / 100 % 100, version % 100);
  return "";
}

}  // namespace dpx::cuda
