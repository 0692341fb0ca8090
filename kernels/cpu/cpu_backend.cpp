#include "kernels/cpu/cpu_backend.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "kernels/cpu/affinity.hpp"
#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/emulated_reducer.hpp"
#include "kernels/cpu/lenet_engine.hpp"
#include "kernels/cpu/shared_reducer.hpp"
#include "lib/core/error.hpp"

namespace dpx {
namespace {

std::string processor_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

/// `threads` cores' worth of work, an own pair of streams, and the host's memory.
class CpuDevice final : public Device {
 public:
  CpuDevice(int index, int threads)
      : index_(index),
        cores_(cpu::cores_for_device(index, threads)),
        team_(threads, cores_),
        compute_(error_, cores_),
        comm_(error_, cores_) {}

  DeviceInfo info() const override {
    return {fmt::format("cpu:{}", index_), processor_model(), "cpu", team_.size()};
  }
  Stream& compute() override { return compute_; }
  Stream& comm() override { return comm_; }

  Buffer allocate(std::size_t bytes) override {
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    void* data = std::aligned_alloc(64, rounded > 0 ? rounded : 64);
    if (data == nullptr)
      throw Error(Exit::unavailable, fmt::format("cpu:{}: cannot allocate {} bytes", index_, bytes));
    std::memset(data, 0, rounded);
    return {data, bytes, [](void* p) { std::free(p); }};
  }

  Buffer upload(const void* host, std::size_t bytes) override {
    return {const_cast<void*>(host), bytes, nullptr};  // engines only read what was uploaded
  }

  Team& team() { return team_; }

 private:
  int index_;
  std::vector<int> cores_;
  std::shared_ptr<StickyError> error_ = std::make_shared<StickyError>();
  Team team_;  // before the streams: their threads use it until they are joined
  CpuStream compute_, comm_;
};

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) override {
    if (request.transport != "auto" || request.math != "fp32" || !request.ordinals.empty())
      throw Error(Exit::unavailable,
                  "--transport, --math and --devices with ordinals are for GPUs: --backend cuda");
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < request.count; ++i)
      devices.push_back(std::make_unique<CpuDevice>(i, request.threads_per_device));
    return devices;
  }

  std::unique_ptr<ModelEngine> make_engine(Device& device, const LeNet& model,
                                           std::size_t max_shard) override {
    return make_cpu_engine(dynamic_cast<CpuDevice&>(device).team(), model, max_shard);
  }

  std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group) override {
    if (algorithm == kNccl) return dpx::make_reducer(algorithm, group);  // says what it needs
    return make_shared_reducer(make_schedule(algorithm, group.size()), group);
  }

  std::unique_ptr<Reducer> make_emulated_reducer(const std::string& algorithm, const LinkModel& link,
                                                 Group& group) override {
    return dpx::make_emulated_reducer(make_schedule(algorithm, group.size()), link, group);
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace dpx
