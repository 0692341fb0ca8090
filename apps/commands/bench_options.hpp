#pragma once
// Options of dpx allreduce-bench, and the variants that they ask for.
#include <memory>
#include <string>
#include <vector>

#include "apps/commands/bench_rows.hpp"
#include "apps/commands/gpu_options.hpp"
#include "lib/backend/backend.hpp"
#include "lib/core/fields.hpp"
#include "lib/core/variable_settings.hpp"

namespace dpx {

struct BenchOptions {
  static constexpr int kRounds = 4;  ///< over which each variant's samples are spread

  std::string backend = "auto";
  std::vector<std::int64_t> gpus{2};
  int threads_per_device = 1;
  GpuOptions gpu;
  std::string algo = "star,ring";
  std::vector<std::int64_t> bytes{256 << 20};
  std::int64_t begin = 0, end = 0;
  int factor = 2;
  std::string nccl_env;  ///< settings of NCCL's environment, each measured in a process of its own
  std::string link;      ///< emulated in real time; empty: the devices' own
  std::string dtype = "fp32", accum_dtype = "fp32";
  int iters = 5, warmup = 2;
  double min_time_s = 0.05;
  bool check_sums = true;

  void declare(Fields& fields);
  /// Errors: Exit::usage: sizes that are no whole number of elements, algorithms that a device count does not
  /// have, settings of NCCL's environment where NCCL is not measured.
  void check();
  /// Errors: Exit::unavailable with the bytes needed and available.
  void require_memory() const;

  std::vector<std::int64_t> sizes() const;
  std::vector<std::string> algorithms() const;
  std::vector<VariableSetting> nccl_settings() const;
  /// bf16 buffers summed in fp32: widened, reduced, rounded once.
  bool widens() const { return dtype == "bf16" && accum_dtype == "fp32"; }
  /// Of an element on the links.
  std::size_t wire_bytes() const { return widens() ? sizeof(float) : size_of(buffer_dtype()); }
  DType buffer_dtype() const { return dtype == "bf16" ? DType::bf16 : DType::f32; }
  /// The algorithms, and behind them the bounds of the machine over the same buffers.
  std::vector<BenchVariant> variants(Backend& devices, Group& group, const std::vector<Slice>& slices) const;
  /// Timed samples for an operation that takes about `once_s`: --iters, more where --min-time asks for it.
  int samples_for(double once_s) const;
  /// Operations in a back-to-back chain: about two milliseconds of them.
  int chain_for(double once_s) const;

 private:
  void check_nccl_env() const;
  const Field *begin_field_ = nullptr, *end_field_ = nullptr, *gpus_field_ = nullptr;
};

}  // namespace dpx
