#include "apps/commands/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/bench_bounds.hpp"
#include "apps/commands/emulated_links.hpp"
#include "lib/comm/mixed_reducer.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/core/error.hpp"
#include "lib/core/host_memory.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr int kMaxSamples = 2000, kMaxChain = 2000;
constexpr double kChainTime = 2e-3;
constexpr std::string_view kNcclPrefix = "NCCL_";

void check_algorithms(const std::string& text) {
  for (const std::string& name : split(text, ',')) check_reducer_name(name);
}

void check_settings(const std::string& text) {
  if (!text.empty()) parse_variable_settings(text, kNcclPrefix);
}

}  // namespace

void BenchOptions::declare(Fields& fields) {
  fields.choice("backend", &backend, {"auto", "cpu", "cuda"}, "where the devices are").group("devices");
  gpus_field_ = &fields.integers("gpus", &gpus, {1, 64}, "numbers of devices, k").alias("g").group("devices");
  fields.integer("threads-per-device", &threads_per_device, {1, 256}, "cores that a CPU device works with")
      .group("devices");
  gpu.declare(fields);
  fields
      .text("algo", &algo, check_algorithms, describe_reducer_names(),
            "allreduce algorithms, comma-separated")
      .group("problem");
  fields
      .text(
          "nccl-env", &nccl_env, check_settings, kVariableSettingsSyntax,
          "measure --algo nccl also under these settings of NCCL's environment, each in a process of its own")
      .group("problem")
      .optional();
  fields.integers("bytes", &bytes, {0, std::int64_t(1) << 44}, "sizes per device").group("problem");
  begin_field_ = &fields
                      .bytes("begin", &begin, {0, std::int64_t(1) << 44},
                             "smallest size, with --end and --factor in place of --bytes")
                      .alias("b")
                      .group("problem")
                      .optional();
  end_field_ = &fields.bytes("end", &end, {0, std::int64_t(1) << 44}, "largest size")
                    .alias("e")
                    .group("problem")
                    .optional();
  fields.integer("factor", &factor, {2, 1 << 20}, "from one size to the next").alias("f").group("problem");
  declare_link(fields, &link).group("devices");
  fields.choice("dtype", &dtype, {"fp32", "bf16"}, "of the buffers").group("problem");
  fields
      .choice("accum-dtype", &accum_dtype, {"fp32", "bf16"},
              "of the sums of bf16 buffers: rounded once, or at every addition")
      .group("problem");
  fields.integer("iters", &iters, {1, 100000}, "timed samples at least").alias("n").group("measuring");
  fields.integer("warmup", &warmup, {0, 100000}, "untimed samples before").alias("w").group("measuring");
  fields.real("min-time", &min_time_s, {0, 3600}, "seconds of timed samples at least, per size and algorithm")
      .group("measuring");
  fields.on_off("check", &check_sums, "compare every element of an exact sum, apart from the timing")
      .group("measuring");
}

std::vector<std::int64_t> BenchOptions::sizes() const {
  if (!begin_field_->was_set() && !end_field_->was_set()) return bytes;
  std::vector<std::int64_t> all;
  for (std::int64_t size = begin; size <= end; size = std::max<std::int64_t>(size * factor, 1))
    all.push_back(size);
  return all;
}

std::vector<std::string> BenchOptions::algorithms() const {
  return split(algo, ',');
}

std::vector<VariableSetting> BenchOptions::nccl_settings() const {
  return nccl_env.empty() ? std::vector<VariableSetting>{} : parse_variable_settings(nccl_env, kNcclPrefix);
}

void BenchOptions::check_nccl_env() const {
  if (nccl_env.empty()) return;
  const std::vector<std::string> names = algorithms();
  if (std::find(names.begin(), names.end(), kNccl) == names.end())
    throw Error(Exit::usage, fmt::format("--nccl-env: --algo {} measures no nccl; add it", algo));
  if (backend == "cpu") throw Error(Exit::usage, "--nccl-env: --backend cpu has no NCCL; --backend cuda has");
}

void BenchOptions::check() {
  gpu.resolve(backend, gpus, gpus_field_->was_set());
  if (begin_field_->was_set() != end_field_->was_set())
    throw Error(Exit::usage, "--begin and --end (-b, -e) go together");
  if (begin > end && end_field_->was_set())
    throw Error(Exit::usage, fmt::format("--begin {} is above --end {}", begin, end));
  const auto element = std::int64_t(size_of(buffer_dtype()));
  for (const std::int64_t size : sizes())
    if (size % element != 0)
      throw Error(Exit::usage, fmt::format("--bytes {}: no whole number of {} elements of {} bytes", size,
                                           dtype, element));
  for (const std::int64_t k : gpus)
    for (const std::string& name : algorithms()) check_reducer(name, int(k));
  check_nccl_env();
}

void BenchOptions::require_memory() const {
  const std::vector<std::int64_t> all = sizes();
  const double largest = double(*std::max_element(all.begin(), all.end()));
  const double widened = widens() ? 3 : 1;  // an fp32 copy of every bf16 buffer
  const double needed = widened * largest * double(*std::max_element(gpus.begin(), gpus.end()));
  const double available = double(available_memory_bytes());
  if (needed > 0.95 * available)
    throw Error(
        Exit::unavailable,
        fmt::format("--bytes {:.0f} on {} device(s) needs {:.0f} bytes of memory, {:.0f} are available",
                    largest, *std::max_element(gpus.begin(), gpus.end()), needed, available));
}

int BenchOptions::samples_for(double once_s) const {
  const double wanted = once_s > 0 ? min_time_s / once_s : kMaxSamples;
  return std::max(iters, int(std::min<double>(wanted, kMaxSamples)));
}

int BenchOptions::chain_for(double once_s) const {
  return std::clamp(int(kChainTime / std::max(once_s, 1e-9)), 1, kMaxChain);
}

std::vector<BenchVariant> BenchOptions::variants(Backend& devices, Group& group,
                                                 const std::vector<Slice>& slices) const {
  std::vector<BenchVariant> all;
  for (const std::string& name : algorithms()) {
    BenchVariant v;
    v.reducer = devices.make_reducer_on(link_model(link), name, group);
    if (widens()) v.reducer = make_fp32_accumulating(std::move(v.reducer), group);
    v.name = v.reducer->name();
    v.operation = [reducer = v.reducer.get(), &slices](const std::vector<Event>& ready) {
      return reducer->allreduce(slices, {0, slices[0].count}, ready);
    };
    all.push_back(std::move(v));
  }
  if (devices.name() == "cpu" && link.empty())  // memory bounds nothing on slower links
    for (BenchVariant& bound : bound_variants(group, slices)) all.push_back(std::move(bound));
  if (devices.name() == "cuda" && group.size() > 1) all.push_back(duplex_variant(group, slices));
  return all;
}

}  // namespace dpx
