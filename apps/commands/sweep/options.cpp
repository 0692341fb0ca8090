#include "apps/commands/sweep/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/commands/emulated_links.hpp"
#include "apps/commands/training_options.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/core/error.hpp"
#include "lib/measure/fits.hpp"

namespace dpx {
namespace {

constexpr std::int64_t kMaxShard = 1 << 16, kMaxBytes = std::int64_t(1) << 34;

// A line with its uncertainty needs so many different sizes.
void require_sizes(const char* flag, const std::vector<std::int64_t>& sizes) {
  const std::size_t different = std::set<std::int64_t>(sizes.begin(), sizes.end()).size();
  if (different < kMinFitPoints)
    throw Error(Exit::usage, fmt::format("--{}: {} different size(s) are too few to fit two constants to; at "
                                         "least {} are needed, as 32:512:x2",
                                         flag, different, kMinFitPoints));
}

}  // namespace

void SweepOptions::declare(Fields& fields) {
  fields.choice("backend", &backend, {"auto", "cpu", "cuda"}, "where the devices are").group("devices");
  gpus_field_ =
      &fields.integers("gpus", &gpus, {1, 256}, "numbers of devices, k").alias("g").group("devices");
  fields.integer("threads-per-device", &threads_per_device, {1, 256}, "cores that a CPU device works with")
      .group("devices");
  gpu.declare(fields);
  fields
      .choice("mode", &mode, {"strong", "weak", "both"},
              "strong: --batch over all devices; weak: --batch on each")
      .group("steps");
  fields.integers("batch", &batch, {1, kMaxShard}, "examples per step").group("steps");
  fields.integers("width", &width, {1, 16}, "width factors of LeNet's layers").group("steps");
  fields.text("algo", &algo, check_schedule_name, describe_schedule_names(), "allreduce algorithm")
      .group("reduction");
  declare_bucket(fields, &bucket);
  declare_link(fields, &link).group("reduction");
  fields.integers("shards", &shards, {1, kMaxShard}, "examples that t0 and c are fitted to").group("fits");
  fields
      .integers("bytes", &bytes, {4, kMaxBytes},
                "gradient sizes that alpha and beta are fitted to; else from the model's down by 4")
      .group("fits")
      .optional();
  fields.integer("iters", &iters, {1, 100000}, "timed samples of every row").alias("n").group("measuring");
  fields.real("min-time", &min_time_s, {0, 3600}, "seconds of a sample at least: so many steps in a row")
      .group("measuring");
  fields.integer("epochs", &epochs, {0, 1'000'000}, "weak scaling: also train so long and compare accuracies")
      .group("training");
  fields.integer("seeds", &seeds, {1, 1000}, "trainings per row, with --epochs").group("training");
  fields.real("lr", &lr, {0, 1e6, true}, "learning rate; with --epochs compared with k times it")
      .group("training");
  fields.text("data", &data, "auto, synthetic or a directory with Fashion-MNIST's four files, for --epochs")
      .group("training");
  fields.integer("limit", &limit, {0, 1 << 30}, "with --epochs use only the first N examples; 0: all")
      .group("training");
}

std::string SweepOptions::reason_against(const StepRow& row) const {
  if (row.batch < row.gpus)
    return fmt::format("batch {} is smaller than {} devices: each needs an example", row.batch, row.gpus);
  try {
    make_schedule(algo, row.gpus);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::vector<StepRow> SweepOptions::rows() const {
  std::vector<StepRow> all;
  for (const bool is_weak : {false, true}) {
    if (is_weak ? !weak() : !strong()) continue;
    for (const std::int64_t w : width)
      for (const std::int64_t b : batch)
        for (const std::int64_t k : gpus) {
          StepRow row{is_weak, int(k), int(w), is_weak ? b * k : b, ""};
          row.reason = reason_against(row);
          all.push_back(row);
        }
  }
  return all;
}

void SweepOptions::check() {
  gpu.resolve(backend, gpus, gpus_field_->was_set());
  require_sizes("shards", shards);
  if (!bytes.empty()) require_sizes("bytes", bytes);
  for (const std::int64_t size : bytes)
    if (size % 4 != 0)
      throw Error(Exit::usage, fmt::format("--bytes {}: no whole number of fp32 elements of 4 bytes", size));
  const std::vector<StepRow> all = rows();
  if (std::none_of(all.begin(), all.end(), [](const StepRow& row) { return row.reason.empty(); }))
    throw Error(Exit::usage, all.front().reason);
  if (epochs > 0 && !weak())
    throw Error(Exit::usage, "--epochs trains at batches that grow with k: it needs --mode weak or both");
}

StepOptions SweepOptions::step_options(int width_factor) const {
  return {width_factor, lr, algo, bucket, Normalize::global, Fault::none, link_model(link)};
}

std::vector<std::int64_t> SweepOptions::reduce_sizes(std::int64_t smallest, std::int64_t largest) const {
  if (!bytes.empty()) return bytes;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 16 * largest; size >= smallest / 64; size /= 4)
    sizes.insert(sizes.begin(), size / 4 * 4);
  return sizes;
}

Wiring SweepOptions::wiring() const {
  const std::optional<LinkModel> model = link_model(link);
  return model && model->duplex == Duplex::bus ? Wiring::bus : Wiring::full_duplex;
}

}  // namespace dpx
