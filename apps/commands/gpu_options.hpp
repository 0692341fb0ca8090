#pragma once
// Options that every command with GPUs shares beside --backend and --gpus, and what the record says of
// devices.
#include <string>
#include <vector>

#include "lib/backend/backend.hpp"
#include "lib/core/fields.hpp"
#include "lib/record/record.hpp"

namespace dpx {

struct GpuOptions {
  std::string devices, transport = "auto";
  double timeout_s = 60;

  void declare(Fields& fields);
  /// --devices names the backend and, where --gpus was not given, the number of devices.
  /// Errors: Exit::usage where they contradict one another.
  void resolve(std::string& backend, std::vector<std::int64_t>& gpus, bool gpus_given) const;
  void resolve(std::string& backend, int& gpus, bool gpus_given) const;
  DeviceRequest request(int count, int threads_per_device) const;
};

/// Devices and how they differ, library versions and transports into the record's environment.
void record_devices(Record& record, const Group& group, const Backend& backend);

/// Into the row's metrics: what the GPUs did while it was measured, and `throttled`. Nothing on CPUs.
void note_gpu_states(Case& row, const Backend& backend);

}  // namespace dpx
