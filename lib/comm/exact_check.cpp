#include "lib/comm/exact_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/hash.hpp"

namespace dpx {
namespace {

constexpr std::size_t kPeriod = 8059;  // prime: no chunk of a usual size repeats another
static_assert(kMaxExactRanks * (kMaxExactRanks + 1) / 2 * kPeriod < std::size_t(1) << 24,
              "sums stay exact in fp32");

float base(std::size_t index) {
  return float(index % kPeriod + 1);
}

Slice host_slice(std::vector<float>& values) {
  return {values.data(), values.size(), DType::f32};
}

void compare(int rank, const std::vector<float>& found, float factor, SumCheck& check) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float sum = factor * base(i);
    if (found[i] == sum) continue;
    if (check.wrong++ == 0)
      check.first_wrong = fmt::format("rank {} element {} is {}, not {}", rank, i, found[i], sum);
  }
}

// Buffers of the ranks; the devices come to rest before they go.
struct Buffers {
  explicit Buffers(Group& of) : group(of) {}
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() { group.drain(); }
  Group& group;
  std::vector<Buffer> owned;
  std::vector<Slice> slices;
};

}  // namespace

float exact_input(int rank, std::size_t index) {
  return float(rank + 1) * base(index);
}

bool SumCheck::identical() const {
  return std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return hash == hashes[0]; });
}

SumCheck check_sum(Reducer& reducer, Group& group, std::size_t count) {
  const int k = group.size();
  std::vector<float> host(count);
  Buffers buffers(group);
  for (int rank = 0; rank < k; ++rank) {
    for (std::size_t i = 0; i < count; ++i) host[i] = exact_input(rank, i);
    buffers.owned.push_back(group.device(rank).allocate(count * sizeof(float)));
    buffers.slices.push_back(buffers.owned.back().slice(DType::f32));
    group.device(rank).compute().copy(buffers.slices.back(), host_slice(host));
    group.device(rank).compute().synchronize();
  }
  reducer.allreduce(buffers.slices, {0, count}, std::vector<Event>(std::size_t(k)));
  group.synchronize();
  SumCheck check;
  for (int rank = 0; rank < k; ++rank) {
    std::fill(host.begin(), host.end(), -1.0f);
    group.device(rank).compute().copy(host_slice(host), buffers.slices[std::size_t(rank)]);
    group.device(rank).compute().synchronize();
    compare(rank, host, float(k * (k + 1) / 2), check);
    check.hashes.push_back(hash_bits(host));
  }
  return check;
}

}  // namespace dpx
