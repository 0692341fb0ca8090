#pragma once
// Groups of CPU devices for tests.
#include <string>
#include <vector>

#include "kernels/backends.hpp"
#include "lib/comm/group.hpp"

namespace dpx::test {

inline Group cpu_group(int size, int threads_per_device = 1) {
  return Group(make_backend("cpu")->open({size, threads_per_device}));
}

/// One fp32 buffer per device, filled with that rank's values.
class RankBuffers {
 public:
  RankBuffers(Group& group, const std::vector<std::vector<float>>& values) : group_(group) {
    for (int rank = 0; rank < group.size(); ++rank) {
      const auto& host = values[std::size_t(rank)];
      buffers_.push_back(group.device(rank).allocate(host.size() * sizeof(float)));
      slices_.push_back(buffers_.back().slice(DType::f32));
      group.device(rank).compute().copy(slices_.back(),
                                        host_slice(const_cast<float*>(host.data()), host.size()));
    }
    group.synchronize();
  }
  ~RankBuffers() { group_.drain(); }
  const std::vector<Slice>& slices() const { return slices_; }
  std::vector<float> read(int rank) const {
    std::vector<float> host(slices_[std::size_t(rank)].count);
    group_.device(rank).compute().copy(host_slice(host.data(), host.size()), slices_[std::size_t(rank)]);
    group_.device(rank).compute().synchronize();
    return host;
  }

 private:
  static Slice host_slice(float* data, std::size_t count) { return {data, count, DType::f32}; }
  Group& group_;
  std::vector<Buffer> buffers_;
  std::vector<Slice> slices_;
};

}  // namespace dpx::test
