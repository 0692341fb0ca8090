#include "apps/commands/gpu_options.hpp"

#include <fmt/format.h>

#include "lib/core/error.hpp"
#include "lib/device/device_list.hpp"

namespace dpx {

void GpuOptions::declare(Fields& fields) {
  fields
      .text(
          "devices", &devices,
          [](const std::string& text) {
            if (!text.empty()) parse_device_list(text);
          },
          "", std::string("which devices: ") + kDeviceListSyntax)
      .optional()
      .group("devices");
  fields.choice("transport", &transport, transport_names(), "how bytes go from GPU to GPU").group("devices");
  fields.real("timeout", &timeout_s, {0, 86400, true}, "seconds that a library's collective may take")
      .group("devices");
}

void GpuOptions::resolve(std::string& backend, std::vector<std::int64_t>& gpus, bool gpus_given) const {
  if (devices.empty()) return;
  const DeviceList list = parse_device_list(devices);
  if (backend != "auto" && backend != list.backend)
    throw Error(Exit::usage, fmt::format("--devices {} is not of --backend {}", devices, backend));
  backend = list.backend;
  if (!gpus_given) gpus = {list.count};
  for (const std::int64_t k : gpus)
    if (k > list.count)
      throw Error(Exit::usage,
                  fmt::format("--gpus {} is more than the {} of --devices {}", k, list.count, devices));
}

void GpuOptions::resolve(std::string& backend, int& gpus, bool gpus_given) const {
  std::vector<std::int64_t> one{gpus};
  resolve(backend, one, gpus_given);
  gpus = int(one[0]);
}

DeviceRequest GpuOptions::request(int count, int threads_per_device) const {
  DeviceRequest request;
  request.count = count;
  request.threads_per_device = threads_per_device;
  if (!devices.empty()) request.ordinals = parse_device_list(devices).ordinals;
  request.transport = transport;
  request.timeout_s = timeout_s;
  return request;
}

void record_devices(Record& record, const Group& group, const Backend& backend) {
  record.set_devices(group.infos(), std::string(backend.name()));
  for (const auto& [name, version] : backend.versions()) record.environment()["versions"][name] = version;
  if (const std::string mixed = backend.mixed_devices(); !mixed.empty())
    record.environment()["mixed_devices"] = mixed;
  if (const std::vector<std::string> remarks = backend.remarks(); !remarks.empty())
    record.environment()["transports"] = remarks;
}

void note_gpu_states(Case& row, const Backend& backend) {
  bool throttled = false;
  Json texts = Json::array();
  for (const GpuState& state : backend.gpu_states()) {
    texts.push_back(state.text);
    throttled = throttled || state.throttled;
  }
  if (texts.empty()) return;
  row.metrics["gpu_states"] = std::move(texts);
  row.metrics["throttled"] = throttled;
}

}  // namespace dpx
