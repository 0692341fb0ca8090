#include "kernels/cuda/handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace dpx::cuda {
namespace {

/// What allocate_device has given out.
class Ledger {
 public:
  void add(void* data, int device, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_[data] = {device, bytes};
    Use& use = uses_[device];
    use.now += bytes;
    use.peak = std::max(use.peak, use.now);
  }
  void remove(void* data) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    if (found == blocks_.end()) return;
    uses_[found->second.first].now -= found->second.second;
    blocks_.erase(found);
  }
  std::size_t peak(int device) {
    const std::lock_guard lock(mutex_);
    return uses_[device].peak;
  }

 private:
  struct Use {
    std::size_t now = 0, peak = 0;
  };
  std::mutex mutex_;
  std::map<void*, std::pair<int, std::size_t>> blocks_;  ///< device, bytes
  std::map<int, Use> uses_;
};

Ledger& ledger() {
  static auto* const made = new Ledger;  // outlives every static that still frees memory
  return *made;
}

}  // namespace

cudaError_t free_device(void* data) {
  ledger().remove(data);  // first: the address may be given out again at once
  return cudaFree(data);
}

std::size_t peak_device_bytes(int device) {
  return ledger().peak(device);
}

DeviceMemory allocate_device(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes > 0 ? bytes : 1);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    int device = -1;
    std::size_t free = 0, total = 0;
    DPX_CHECK(cudaGetDevice(&device));
    DPX_CHECK(cudaMemGetInfo(&free, &total));
    throw Error(Exit::unavailable,
                fmt::format("cuda:{}: out of memory: {} bytes asked for, {} of {} are free", device, bytes,
                            free, total));
  }
  check(status, "cudaMalloc", __FILE__, __LINE__);
  DeviceMemory memory(data);
  int device = -1;
  DPX_CHECK(cudaGetDevice(&device));
  ledger().add(data, device, bytes);
  return memory;
}

PinnedMemory allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(Exit::unavailable,
                fmt::format("cannot pin {} bytes of host memory for staged copies", bytes));
  }
  check(status, "cudaHostAlloc", __FILE__, __LINE__);
  return PinnedMemory(data);
}

}  // namespace dpx::cuda
