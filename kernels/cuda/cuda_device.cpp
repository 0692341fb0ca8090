#include "kernels/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <cstring>

namespace dpx::cuda {

GpuFacts facts_of(int ordinal) {
  cudaDeviceProp p{};
  DPX_CHECK(cudaGetDeviceProperties(&p, ordinal));
  return {p.name, p.major * 10 + p.minor, p.multiProcessorCount, p.totalGlobalMem};
}

std::string uuid_of(int ordinal) {
  cudaDeviceProp p{};
  DPX_CHECK(cudaGetDeviceProperties(&p, ordinal));
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i)  // 8-4-4-4-12 digits
    text += fmt::format("{}{:02x}", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        static_cast<unsigned char>(p.uuid.bytes[i]));
  return text;
}

std::string bus_id_of(int ordinal) {
  char text[32] = "";
  DPX_CHECK(cudaDeviceGetPCIBusId(text, sizeof text, ordinal));
  return text;
}

CudaDevice::CudaDevice(std::shared_ptr<DeviceState> state, std::shared_ptr<Fabric> fabric,
                       EngineOptions options)
    : state_(std::move(state)),
      fabric_(std::move(fabric)),
      options_(options),
      info_{fmt::format("cuda:{}", ordinal()), describe(facts_of(ordinal())), bus_id_of(ordinal()), 0,
            uuid_of(ordinal())},
      compute_(state_, fabric_, Priority::normal),
      comm_(state_, fabric_, Priority::high) {}

// Whoever goes on without the results must still not free memory that is being written.
CudaDevice::~CudaDevice() {
  DPX_CHECK_QUIET(cudaSetDevice(ordinal()));
  DPX_CHECK_QUIET(cudaStreamSynchronize(compute_.handle()));
  DPX_CHECK_QUIET(cudaStreamSynchronize(comm_.handle()));
}

Buffer CudaDevice::own(DeviceMemory memory, std::size_t bytes) {
  fabric_->own(memory.get(), bytes, state_->rank());
  return {memory.release(), bytes, [fabric = fabric_](void* data) {
            fabric->disown(data);
            DPX_CHECK_QUIET(free_device(data));
          }};
}

Buffer CudaDevice::allocate(std::size_t bytes) {
  use_device(ordinal());
  DeviceMemory memory = allocate_device(bytes);
  if (bytes > 0) DPX_CHECK(cudaMemsetAsync(memory.get(), 0, bytes, compute_.handle()));
  DPX_CHECK(cudaStreamSynchronize(compute_.handle()));
  return own(std::move(memory), bytes);
}

Buffer CudaDevice::upload(const void* host, std::size_t bytes) {
  use_device(ordinal());
  DeviceMemory memory = allocate_device(bytes);
  if (bytes > 0)
    DPX_CHECK(cudaMemcpyAsync(memory.get(), host, bytes, cudaMemcpyHostToDevice, compute_.handle()));
  DPX_CHECK(cudaStreamSynchronize(compute_.handle()));
  return own(std::move(memory), bytes);
}

Buffer CudaDevice::allocate_host(std::size_t bytes) {
  use_device(ordinal());
  PinnedMemory memory = allocate_pinned(bytes > 0 ? bytes : 1);
  std::memset(memory.get(), 0, bytes);
  return {memory.release(), bytes, [](void* data) { DPX_CHECK_QUIET(cudaFreeHost(data)); }};
}

}  // namespace dpx::cuda
