// Sums over ranks.
#include <cstring>

#include "tests/fake_cuda/nccl/communicator.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

#include "lib/core/bf16.hpp"

namespace fake {
namespace {

template <class T>
T plus(T a, T b) {
  return a + b;
}
dpx::Bf16 plus(dpx::Bf16 a, dpx::Bf16 b) {
  return dpx::add_rounded(a, b);
}

template <class T>
std::vector<char> sum(const std::vector<Contribution>& contributions) {
  const std::size_t count = contributions.front().count;
  std::vector<char> result(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    T total = static_cast<const T*>(contributions.front().send)[i];
    for (std::size_t rank = 1; rank < contributions.size(); ++rank)
      total = plus(total, static_cast<const T*>(contributions[rank].send)[i]);
    std::memcpy(result.data() + i * sizeof(T), &total, sizeof(T));
  }
  return result;
}

}  // namespace

std::size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclFloat32:
    case ncclInt32:
      return 4;
    case ncclFloat64:
      return 8;
    case ncclBfloat16:
      return 2;
    case ncclInt8:
      return 1;
    default:
      fake_unfaked("ncclAllReduce of this data type", "libnccl.so.2");
  }
}

std::vector<char> sum_of(const std::vector<Contribution>& contributions) {
  switch (contributions.front().type) {
    case ncclFloat32:
      return sum<float>(contributions);
    case ncclInt32:
      return sum<int>(contributions);
    case ncclFloat64:
      return sum<double>(contributions);
    case ncclBfloat16:
      return sum<dpx::Bf16>(contributions);
    default:
      fake_unfaked("ncclAllReduce of this data type", "libnccl.so.2");
  }
}

}  // namespace fake
