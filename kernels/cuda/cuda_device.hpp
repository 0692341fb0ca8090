#pragma once
// One logical device on a GPU: two streams, memory, and how its engine is to compute.
#include <memory>
#include <string>

#include "kernels/cuda/cuda_stream.hpp"
#include "kernels/cuda/gpu_facts.hpp"

namespace dpx::cuda {

/// How engines on a device compute.
struct EngineOptions {
  bool tf32 = false;  ///< tensor cores with 10-bit mantissas in products; else strict fp32
  bool graph = true;  ///< capture a step once, replay it
};

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<DeviceState> state, std::shared_ptr<Fabric> fabric, EngineOptions options);
  ~CudaDevice() override;
  DeviceInfo info() const override { return info_; }
  Stream& compute() override { return compute_; }
  Stream& comm() override { return comm_; }
  Buffer allocate(std::size_t bytes) override;
  Buffer upload(const void* host, std::size_t bytes) override;
  Buffer allocate_host(std::size_t bytes) override;

  int ordinal() const { return state_->ordinal(); }
  const EngineOptions& options() const { return options_; }
  Fabric& fabric() { return *fabric_; }
  DeviceState& state() { return *state_; }
  const std::shared_ptr<DeviceState>& shared_state() const { return state_; }
  const std::shared_ptr<Fabric>& shared_fabric() const { return fabric_; }

 private:
  Buffer own(DeviceMemory memory, std::size_t bytes);
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<Fabric> fabric_;
  EngineOptions options_;
  DeviceInfo info_;
  CudaStream compute_, comm_;
};

/// What the runtime says of a GPU.
GpuFacts facts_of(int ordinal);
/// "GPU-8d32...", which names the GPU on any machine and in any order.
std::string uuid_of(int ordinal);
/// "0000:3b:00.0"
std::string bus_id_of(int ordinal);

}  // namespace dpx::cuda
