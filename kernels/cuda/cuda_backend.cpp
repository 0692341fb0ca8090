#include "kernels/cuda/cuda_backend.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <set>

#include "kernels/cuda/check_libraries.hpp"
#include "kernels/cuda/cuda_device.hpp"
#include "kernels/cuda/driver_status.hpp"
#include "kernels/cuda/graph_replay.hpp"
#include "kernels/cuda/library_engine.hpp"
#include "kernels/cuda/nccl_copier.hpp"
#include "kernels/cuda/nccl_reducer.hpp"
#include "kernels/cuda/piped_reducer.hpp"
#include "kernels/cuda/telemetry.hpp"

namespace dpx::cuda {
namespace {

/// What limits the GPUs that are seen: " (CUDA_VISIBLE_DEVICES=3,1)"; empty where nothing does.
std::string visible_devices() {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) return "";
  return *text == '\0' ? " (CUDA_VISIBLE_DEVICES is empty)" : fmt::format(" (CUDA_VISIBLE_DEVICES={})", text);
}

DriverFacts driver_facts() {
  DriverFacts facts;
  facts.limit = visible_devices();
  const cudaError_t status = cudaGetDeviceCount(&facts.devices);
  facts.error = int(status);
  if (status != cudaSuccess) {
    facts.error_text = failure_of(status);
    facts.devices = 0;
    cudaGetLastError();
  }
  if (cudaDriverGetVersion(&facts.driver) != cudaSuccess) facts.driver = 0;
  if (cudaRuntimeGetVersion(&facts.runtime) != cudaSuccess) facts.runtime = CUDART_VERSION;
  return facts;
}

/// A GPU that this build has no code for would fail at its first kernel.
void require_code(int ordinal) {
  cudaDeviceProp p{};
  DPX_CHECK(cudaGetDeviceProperties(&p, ordinal));
  if (!code_runs_on(DPX_CUDA_ARCHS, p.major * 10 + p.minor))
    throw Error(
        Exit::unavailable,
        fmt::format("cuda:{}: {} has compute capability {}.{}, this dpx holds code for {}; configure with "
                    "-DDPX_CUDA_ARCHITECTURES={}{}",
                    ordinal, p.name, p.major, p.minor, DPX_CUDA_ARCHS, p.major, p.minor));
}

std::string mixture_of(const std::vector<int>& ordinals) {
  std::vector<GpuFacts> gpus;
  for (const int ordinal : ordinals) gpus.push_back(facts_of(ordinal));
  return how_mixed(ordinals, gpus);
}

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) override;
  std::map<std::string, std::string> versions() const override;
  std::string mixed_devices() const override { return mixed_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  std::vector<PeerAccess> peer_access() const override { return peer_access_; }
  std::vector<GpuState> gpu_states() const override { return read_gpu_states(bus_ids_); }
  std::map<std::string, std::size_t> peak_memory_bytes() const override;

  std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet& model,
                                           std::size_t max_shard) override {
    return make_library_engine(dynamic_cast<CudaDevice&>(device), model, max_shard);
  }
  std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) override {
    if (algorithm == kNccl) return make_nccl_reducer(group);
    return make_piped_reducer(make_schedule(algorithm, group.size()), group);
  }
  std::unique_ptr<LibraryCopier> make_library_copier(Group& group) override {
    return make_nccl_copier(group);
  }
  std::string why_no_variable(const std::string& variable) const override {
    return why_no_nccl_variable(variable);
  }

  std::unique_ptr<Replay> make_replay(const std::vector<Device*>& devices) override {
    return make_graph_replay(devices);
  }

 private:
  std::string mixed_;
  std::vector<std::string> remarks_, bus_ids_;
  std::vector<PeerAccess> peer_access_;
  std::set<int> opened_;
};

std::vector<std::unique_ptr<Device>> CudaBackend::open(const DeviceRequest& request) {
  int visible = 0;
  DPX_CHECK(cudaGetDeviceCount(&visible));
  const std::vector<int> ordinals = chosen_ordinals(request, visible, visible_devices());
  const auto watchdog = std::make_shared<Watchdog>(request.timeout_s);
  std::vector<std::shared_ptr<DeviceState>> states;
  for (std::size_t rank = 0; rank < ordinals.size(); ++rank) {
    require_code(ordinals[rank]);
    states.push_back(std::make_shared<DeviceState>(ordinals[rank], int(rank), watchdog));
  }
  mixed_ = mixture_of(ordinals);
  if (!mixed_.empty()) spdlog::warn("{}", mixed_);
  bus_ids_.clear();
  opened_ = {ordinals.begin(), ordinals.end()};
  for (const int ordinal : opened_) bus_ids_.push_back(bus_id_of(ordinal));
  const auto fabric = std::make_shared<Fabric>(states, request.transport);
  remarks_ = fabric->remarks();
  peer_access_ = request.transport == "auto" ? fabric->peer_access() : std::vector<PeerAccess>{};
  for (const std::string& line : remarks_) spdlog::debug("{}", line);
  std::vector<std::unique_ptr<Device>> devices;
  for (const auto& state : states)
    devices.push_back(
        std::make_unique<CudaDevice>(state, fabric, EngineOptions{request.math == "tf32", request.graph}));
  return devices;
}

std::map<std::string, std::string> CudaBackend::versions() const {
  const DriverFacts facts = driver_facts();
  const std::size_t cudnn = cudnnGetVersion(), cublas = cublasLtGetVersion();
  std::map<std::string, std::string> versions{
      {"cuda", version_text(facts.runtime)},
      {"driver", "CUDA " + version_text(facts.driver)},
      {"cudnn", fmt::format("{}.{}.{}", cudnn / 10000, cudnn / 100 % 100, cudnn % 100)},
      {"cublas", fmt::format("{}.{}.{}", cublas / 10000, cublas / 100 % 100, cublas % 100)}};
  if (const std::string nccl = nccl_version(); !nccl.empty()) versions["nccl"] = nccl;
  return versions;
}

std::map<std::string, std::size_t> CudaBackend::peak_memory_bytes() const {
  std::map<std::string, std::size_t> peaks;
  for (const int ordinal : opened_) peaks[fmt::format("cuda:{}", ordinal)] = peak_device_bytes(ordinal);
  return peaks;
}

}  // namespace

}  // namespace dpx::cuda

dpx::Backend* dpx_cuda_backend(std::string* reason) {
  *reason = dpx::cuda::why_no_device(dpx::cuda::driver_facts());
  return reason->empty() ? new dpx::cuda::CudaBackend : nullptr;
}
