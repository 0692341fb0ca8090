// Topic scaling: step time and speedup on k devices, the limit, and what decides them.
#include "lib/comm/cost_model/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

struct Row {
  bool strong;
  int gpus;
  double speedup;
  StepTime time;
};

StepModel step_model(const ModelOptions& o) {
  return {o.number("t0"), o.number("c"), o.number("batch"), o.gradient_bytes(), o.link(), o.accumulate};
}

// Strong scaling has no k above the batch.
std::string reason_against(const StepModel& m, const Row& row) {
  if (!row.strong || row.gpus <= m.batch) return "";
  return fmt::format("{} GPUs have no {} examples to share", row.gpus, four_digits(m.batch));
}

std::vector<Row> make_rows(const ModelOptions& o, const StepModel& m) {
  std::vector<Row> rows;
  for (const bool strong : {true, false}) {
    if (o.mode != "both" && (o.mode == "strong") != strong) continue;
    for (const std::int64_t gpus : o.gpus) {
      const int k = int(gpus);
      rows.push_back({strong, k, strong ? strong_speedup(m, k) : weak_speedup(m, k),
                      strong ? strong_step(m, k) : weak_step(m, k)});
    }
  }
  return rows;
}

void add_case(const StepModel& m, const Row& row, double epoch_s, Run& run) {
  Case out;
  out.key = {{"topic", "scaling"}, {"mode", row.strong ? "strong" : "weak"}, {"gpus", row.gpus}};
  out.reason = reason_against(m, row);
  if (!out.reason.empty()) {
    out.status = "skipped";
  } else {
    out.metrics = {{"global_batch", row.strong ? m.batch : m.batch * row.gpus},
                   {"batch_per_gpu", row.strong ? m.batch / row.gpus : m.batch},
                   {"compute_s", row.time.compute_s},
                   {"latency_s", row.time.comm.latency_s},
                   {"bandwidth_s", row.time.comm.bandwidth_s},
                   {"step_s", row.time.total_s()},
                   {"speedup", row.speedup},
                   {"efficiency", row.speedup / row.gpus}};
    if (epoch_s > 0) out.metrics["epoch_s"] = epoch_s;
  }
  run.record.add_case(out);
}

double epoch_time_s(const ModelOptions& o, const StepModel& m, const Row& row) {
  const double global = row.strong ? m.batch : m.batch * row.gpus;
  return std::ceil(double(o.examples) / global) * row.time.total_s();
}

void print_table(const ModelOptions& o, const StepModel& m, const std::vector<Row>& rows, Run& run) {
  double largest_s = 0;
  for (const Row& row : rows) largest_s = std::max(largest_s, row.time.total_s());
  const TimeUnit unit(largest_s);
  std::vector<std::string> headers{
      "<scaling",          "GPUs",    "batch/GPU", "batch", unit.header("compute"), unit.header("allreduce"),
      unit.header("step"), "speedup", "efficiency"};
  if (o.examples > 0) headers.push_back("epoch");
  Table table(headers);
  for (const Row& row : rows) {
    const double epoch_s = o.examples > 0 ? epoch_time_s(o, m, row) : 0;
    add_case(m, row, epoch_s, run);
    std::vector<std::string> cells{row.strong ? "strong" : "weak", std::to_string(row.gpus)};
    if (reason_against(m, row).empty()) {
      for (const std::string& cell :
           {four_digits(row.strong ? m.batch / row.gpus : m.batch),
            four_digits(row.strong ? m.batch : m.batch * row.gpus), unit.cell(row.time.compute_s),
            unit.cell(row.time.comm.total_s()), unit.cell(row.time.total_s()),
            fmt::format("{:.3f}", row.speedup), percent(row.speedup / row.gpus)})
        cells.push_back(cell);
      if (o.examples > 0) cells.push_back(format_seconds(epoch_s));
    } else {
      cells.resize(headers.size(), "n/a");
    }
    table.row(cells);
  }
  table.print(run.out);
  for (const Row& row : rows)
    if (const std::string reason = reason_against(m, row); !reason.empty())
      run.out << "n/a: " << reason << '\n';
}

void print_limits(const ModelOptions& o, const StepModel& m, Run& run) {
  const auto bandwidth = break_even_bandwidth_Bps(m);
  const auto batch = break_even_batch(m);
  const int most = int(std::min(m.batch, 1048576.0)), best = best_world_size(m, most);
  const bool latency = m.link.alpha_s > 0;
  if (o.mode != "weak")
    run.out << "limit of the strong speedup for k -> infinity: "
            << (latency ? "0, as latency grows with k; without latency " : "")
            << fmt::format("{:.3f}\n", strong_limit(m));
  if (o.mode != "strong")
    run.out << "limit of the weak efficiency: "
            << (latency ? "0, as latency grows with k; without latency " : "")
            << percent(weak_efficiency_limit(m)) << '\n';
  const char* const who = latency ? "2 GPUs" : "any k";
  run.out
      << (bandwidth
              ? fmt::format("least bandwidth at which {} beat{} one GPU: {} (here {})\n", who,
                            latency ? "" : "s", rate_text(*bandwidth), rate_text(m.link.beta_Bps))
              : fmt::format(
                    "no bandwidth lets 2 GPUs beat one: computing shrinks by no more than latency costs\n"));
  if (batch)
    run.out << fmt::format("smallest batch at which {} pay{}: {:.0f} (here {})\n", who, latency ? "" : "s",
                           std::floor(*batch) + 1, four_digits(m.batch));
  run.out << fmt::format("best k of 1..{}: {}, speedup {:.3f}\n", most, best, strong_speedup(m, best));
  Json& verdict = run.record.verdict();
  verdict["limit"] = latency ? 0 : strong_limit(m);
  verdict["limit_without_latency"] = strong_limit(m);
  verdict["weak_efficiency_limit"] = latency ? 0 : weak_efficiency_limit(m);
  verdict["weak_efficiency_limit_without_latency"] = weak_efficiency_limit(m);
  verdict["least_bandwidth_GBps"] = json_GBps(bandwidth);
  verdict["break_even_batch"] = json_or_null(batch);
  verdict["best_gpus"] = best;
  verdict["best_speedup"] = strong_speedup(m, best);
}

}  // namespace

void model_scaling(const ModelOptions& o, Run& run) {
  const StepModel m = step_model(o);
  const std::vector<Row> rows = make_rows(o, m);
  if (std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return reason_against(m, row).empty(); }))
    throw Error(Exit::usage, "--gpus: " + reason_against(m, rows[0]));
  run.out << o.source_line()
          << fmt::format("t(k) = {}t0 + c {} + 2(k-1)(alpha + N/(k beta)); speedup = {}\n",
                         m.accumulate > 1 ? fmt::format("{} ", m.accumulate) : "",
                         o.mode == "weak" ? "B" : "B/k",
                         o.mode == "weak" ? "k t(1)/t(k), B per GPU" : "t(1)/t(k), B in all")
          << (o.mode == "both" ? "weak: c B instead of c B/k, speedup = k t(1)/t(k)\n" : "")
          << fmt::format("t0 {}, c {}, B {}, N {}, alpha {}, beta {}\n\n", format_seconds(m.t0_s),
                         format_seconds(m.c_s_per_example), four_digits(m.batch),
                         decimal_bytes(m.gradient_bytes), format_seconds(m.link.alpha_s),
                         rate_text(m.link.beta_Bps));
  print_table(o, m, rows, run);
  run.record.verdict()["inputs"] = {{"t0_s", m.t0_s},
                                    {"c_s_per_example", m.c_s_per_example},
                                    {"batch", m.batch},
                                    {"gradient_bytes", json_bytes(m.gradient_bytes)},
                                    {"alpha_s", m.link.alpha_s},
                                    {"beta_Bps", m.link.beta_Bps},
                                    {"accumulate", m.accumulate}};
  print_limits(o, m, run);
}

}  // namespace dpx
