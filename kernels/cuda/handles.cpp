#include "kernels/cuda/handles.hpp"

#include <fmt/format.h>

namespace dpx::cuda {

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
  return DeviceMemory(data);
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
