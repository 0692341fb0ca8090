// Topic pipeline: a two-stage pipeline beside data parallelism on two devices.
#include "lib/comm/cost_model/pipeline.hpp"

#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

void bytes_part(const ModelOptions& o, Run& run) {
  const LayerStack stack{o.number("layers"), o.number("hidden"), o.number("batch"), o.bytes_per_value()};
  const double data = data_parallel_crossing_bytes(stack), pipeline = pipeline_crossing_bytes(stack);
  const double above = data_parallel_wins_above_batch(stack);
  run.out << fmt::format(
      "L = {} dense layers of width d = {}, batch B = {}, {} bytes per value, two GPUs\n"
      "data parallel: 2 x {} L d^2; pipeline: 2 x {} B d\n\n",
      four_digits(stack.layers), four_digits(stack.width), four_digits(stack.batch), stack.bytes_per_value,
      stack.bytes_per_value, stack.bytes_per_value);
  Table table({"<scheme", "each GPU sends", "crosses per step", "bytes"});
  table.row({"data parallel", format_bytes(std::int64_t(data / 2)), format_bytes(std::int64_t(data)),
             fmt::format("{:.0f}", data)});
  table.row({"pipeline", format_bytes(std::int64_t(pipeline / 2)), format_bytes(std::int64_t(pipeline)),
             fmt::format("{:.0f}", pipeline)});
  table.print(run.out);
  run.out << fmt::format("ratio L d / B = {}; data parallelism moves fewer bytes when B > L d = {}\n",
                         four_digits(data / pipeline), four_digits(above));
  for (const auto& [scheme, crossing] : {std::pair{"data", data}, {"pipeline", pipeline}}) {
    Case row;
    row.key = {{"topic", "pipeline"}, {"scheme", scheme}};
    row.metrics = {{"sent_per_gpu_bytes", json_bytes(crossing / 2)},
                   {"crossing_bytes", json_bytes(crossing)}};
    run.record.add_case(row);
  }
  run.record.verdict()["bytes_ratio"] = data / pipeline;
  run.record.verdict()["data_parallel_wins_above_batch"] = above;
}

}  // namespace

void model_pipeline(const ModelOptions& o, Run& run) {
  const bool with_bytes = o.has("layers") || o.has("hidden") || o.has("batch") || o.has("grad-dtype");
  if (with_bytes) {
    bytes_part(o, run);
    run.out << '\n';
  }
  run.out << fmt::format("idle part of the step with m micro-batches and s = {} stages: (s-1)/(m+s-1)\n\n",
                         o.stages);
  Table table({"micro-batches", "idle"});
  for (const std::int64_t m : o.micro_batches) {
    const double idle = bubble_fraction(int(m), o.stages);
    table.row({std::to_string(m), percent(idle)});
    Case row;
    row.key = {{"topic", "pipeline"}, {"micro_batches", m}, {"stages", o.stages}};
    row.metrics = {{"idle_share", idle}};
    run.record.add_case(row);
  }
  table.print(run.out);
}

}  // namespace dpx
