#include "kernels/cuda/telemetry.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/cuda/transport.hpp"

namespace dpx::cuda {
namespace {

/// The functions of libnvidia-ml.so.1 that are used; their signatures are those of nvml.h since NVML 5, which
/// toolkits do not always bring. 0 is success.
class Nvml {
 public:
  using Gpu = void*;
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const bool complete = load(init_, "nvmlInit_v2") && load(find_, "nvmlDeviceGetHandleByPciBusId_v2") &&
                          load(clock_, "nvmlDeviceGetClockInfo") &&
                          load(temperature_, "nvmlDeviceGetTemperature") &&
                          load(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
                          load(generation_, "nvmlDeviceGetCurrPcieLinkGeneration") &&
                          load(width_, "nvmlDeviceGetCurrPcieLinkWidth");
    usable_ = complete && init_() == 0;
    load(peer_, "nvmlDeviceGetP2PStatus");  // since NVML 8; without it nobody says why
  }
  bool usable() const { return usable_; }
  bool read(const std::string& bus_id, GpuState& state) const;
  std::string why_no_peer(const std::string& from, const std::string& to) const;

 private:
  template <class Function>
  bool load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    return function != nullptr;
  }
  void* library_;
  bool usable_ = false;
  int (*init_)() = nullptr;
  int (*find_)(const char*, Gpu*) = nullptr;
  int (*clock_)(Gpu, int, unsigned*) = nullptr;
  int (*temperature_)(Gpu, int, unsigned*) = nullptr;
  int (*reasons_)(Gpu, unsigned long long*) = nullptr;
  int (*generation_)(Gpu, unsigned*) = nullptr;
  int (*width_)(Gpu, unsigned*) = nullptr;
  int (*peer_)(Gpu, Gpu, int, int*) = nullptr;
};

bool Nvml::read(const std::string& bus_id, GpuState& state) const {
  constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;
  Gpu gpu = nullptr;
  unsigned sm = 0, memory = 0, temperature = 0, generation = 0, width = 0;
  unsigned long long reasons = 0;
  if (find_(bus_id.c_str(), &gpu) != 0 || clock_(gpu, kSmClock, &sm) != 0 ||
      clock_(gpu, kMemoryClock, &memory) != 0 || temperature_(gpu, kGpuSensor, &temperature) != 0)
    return false;
  const bool pcie = generation_(gpu, &generation) == 0 && width_(gpu, &width) == 0;
  const std::string throttled = reasons_(gpu, &reasons) == 0 ? throttle_words(reasons) : "";
  state.throttled = !throttled.empty();
  state.text = fmt::format("{}: SM {} MHz, memory {} MHz, {} C{}{}", bus_id, sm, memory, temperature,
                           pcie ? fmt::format(", PCIe {} x{}", generation, width) : "",
                           throttled.empty() ? "" : ", throttled: " + throttled);
  return true;
}

std::string Nvml::why_no_peer(const std::string& from, const std::string& to) const {
  constexpr int kRead = 0, kWrite = 1;
  Gpu a = nullptr, b = nullptr;
  if (peer_ == nullptr || find_(from.c_str(), &a) != 0 || find_(to.c_str(), &b) != 0) return "";
  for (const int capability : {kRead, kWrite}) {
    int status = 0;
    if (peer_(a, b, capability, &status) != 0) return "";
    if (const std::string words = peer_status_words(status); !words.empty()) return words;
  }
  return "";
}

const Nvml& nvml() {
  static const Nvml instance;
  return instance;
}

}  // namespace

std::vector<GpuState> read_gpu_states(const std::vector<std::string>& bus_ids) {
  std::vector<GpuState> states;
  if (!nvml().usable()) return states;
  for (const std::string& bus_id : bus_ids)
    if (GpuState state; nvml().read(bus_id, state)) states.push_back(state);
  return states;
}

std::string why_no_peer(const std::string& from, const std::string& to) {
  return nvml().usable() ? nvml().why_no_peer(from, to) : "";
}

}  // namespace dpx::cuda
