#pragma once
// Groups of CPU devices for tests.
#include <string>
#include <vector>

#include "kernels/backends.hpp"
#include "lib/comm/group.hpp"
#include "lib/core/bf16.hpp"

namespace dpx::test {

inline Group cpu_group(int size, int threads_per_device = 1) {
  return Group(make_backend("cpu")->open({size, threads_per_device}));
}

/// One fp32 or bf16 buffer per device, filled with that rank's values (bf16: rounded).
class RankBuffers {
 public:
  RankBuffers(Group& group, const std::vector<std::vector<float>>& values, DType dtype = DType::f32)
      : group_(group) {
    for (int rank = 0; rank < group.size(); ++rank) {
      const auto& host = values[std::size_t(rank)];
      buffers_.push_back(group.device(rank).allocate(host.size() * size_of(dtype)));
      slices_.push_back(buffers_.back().slice(dtype));
      Stream& stream = group.device(rank).compute();
      const Slice source = host_slice(const_cast<float*>(host.data()), host.size());
      if (dtype == DType::bf16)
        stream.convert(slices_.back(), source);
      else
        stream.copy(slices_.back(), source);
    }
    group.synchronize();
  }
  ~RankBuffers() { group_.drain(); }
  const std::vector<Slice>& slices() const { return slices_; }
  std::vector<float> read(int rank) const {
    const Slice slice = slices_[std::size_t(rank)];
    std::vector<float> host(slice.count);
    Stream& stream = group_.device(rank).compute();
    if (slice.dtype == DType::bf16)
      stream.convert(host_slice(host.data(), host.size()), slice);
    else
      stream.copy(host_slice(host.data(), host.size()), slice);
    stream.synchronize();
    return host;
  }

 private:
  static Slice host_slice(float* data, std::size_t count) { return {data, count, DType::f32}; }
  Group& group_;
  std::vector<Buffer> buffers_;
  std::vector<Slice> slices_;
};

}  // namespace dpx::test
