#pragma once
// Options of dpx scaling-sweep, and the steps that they ask for.
#include <string>
#include <vector>

#include "apps/commands/gpu_options.hpp"
#include "lib/backend/backend.hpp"
#include "lib/comm/cost_model/alpha_beta.hpp"
#include "lib/core/fields.hpp"
#include "lib/train/step_options.hpp"

namespace dpx {

/// One row of the table: a step on k devices at a batch. Strong scaling holds the global batch fixed over k,
/// weak scaling the batch per device.
struct StepRow {
  bool weak = false;
  int gpus = 1, width = 1;
  std::int64_t batch = 0;  ///< global
  std::string reason;      ///< why it cannot be measured; empty when it can

  /// Examples on the device that has most.
  std::int64_t shard() const { return (batch + gpus - 1) / gpus; }
  const char* mode() const { return weak ? "weak" : "strong"; }
};

struct SweepOptions {
  std::string backend = "auto";
  std::vector<std::int64_t> gpus{1, 2}, width{1}, batch{256}, shards{32, 64, 128, 256, 512}, bytes;
  int threads_per_device = 1;
  GpuOptions gpu;
  std::string mode = "both", algo = "star", bucket = "tensor", link;
  int iters = 15;
  double min_time_s = 0.06;
  int epochs = 0, seeds = 5, limit = 0;
  double lr = 0.2;
  std::string data = "auto";

  void declare(Fields& fields);
  /// Errors: Exit::usage: too few different sizes to fit, sizes that are no whole number of floats, no row
  /// that can be measured.
  void check();

  bool strong() const { return mode != "weak"; }
  bool weak() const { return mode != "strong"; }
  /// Rows by mode, width, batch and k. A row that does not fit batch or algorithm carries the reason.
  std::vector<StepRow> rows() const;
  DeviceRequest device_request(int count) const { return gpu.request(count, threads_per_device); }
  StepOptions step_options(int width_factor) const;
  /// Sizes of the allreduces that alpha and beta are fitted to: --bytes, else from `smallest` and `largest`
  /// gradient in steps of 4: three below the smallest and two above the largest, where bytes begin to show.
  /// Units: bytes.
  std::vector<std::int64_t> reduce_sizes(std::int64_t smallest, std::int64_t largest) const;
  Wiring wiring() const;

 private:
  const Field* gpus_field_ = nullptr;
  std::string reason_against(const StepRow& row) const;
};

}  // namespace dpx
