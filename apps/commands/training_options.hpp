#pragma once
// Options that train and parity share: devices, model, data and how gradients are reduced.
#include <memory>
#include <string>

#include "apps/commands/gpu_options.hpp"
#include "lib/backend/backend.hpp"
#include "lib/comm/group.hpp"
#include "lib/core/fields.hpp"
#include "lib/data/dataset.hpp"
#include "lib/train/step_options.hpp"

namespace dpx {

/// Declares --bucket.
void declare_bucket(Fields& fields, std::string* bucket);

struct TrainingOptions {
  std::string backend = "auto";
  int gpus = 1, threads_per_device = 1;
  int batch = 256, width = 1;
  double lr = 0.2;
  std::string data = "auto";
  GpuOptions gpu;
  std::string math = "fp32";
  bool graph = true;
  std::string algo = "star", bucket = "tensor", normalize = "global", link;

  void declare(Fields& fields);
  /// Errors: Exit::usage when the batch has fewer examples than there are devices.
  void check();
  StepOptions step_options() const;
  DeviceRequest device_request(int count) const;

 private:
  const Field* gpus_field_ = nullptr;
};

/// make_backend and, where `auto` decided or cores are too few, one line of log.
std::unique_ptr<Backend> open_backend(const TrainingOptions& options, const Json& environment);

/// The data set's name, sizes and checksums for the record.
Json describe_data(const Dataset& data);

}  // namespace dpx
