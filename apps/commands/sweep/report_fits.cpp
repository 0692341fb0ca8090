// The tables of the two fits.
#include <fmt/ostream.h>

#include <cmath>

#include "apps/commands/model/format.hpp"
#include "apps/commands/sweep/report.hpp"
#include "apps/table.hpp"
#include "lib/core/units.hpp"
#include "lib/measure/statistics.hpp"

namespace dpx {
namespace {

std::string spread(const std::vector<double>& samples) {
  return whole_percent(summarize(samples).cv);
}

// "102 us [100, 104]"
std::string with_interval(const Estimate& e) {
  return fmt::format("{} [{}, {}]{}", format_seconds(e.value), format_seconds(e.low), format_seconds(e.high),
                     e.clamped ? ", too small to be seen" : "");
}

std::string rate_with_interval(const Estimate& beta) {
  if (!std::isfinite(beta.value)) return "too high to be seen";
  return fmt::format("{} [{}, {}]", format_rate(beta.value), format_rate(beta.low),
                     std::isfinite(beta.high) ? format_rate(beta.high) : "no bound");
}

std::string link_formula(const SweepMeasurement& measured, const SweepFit& fit) {
  const ReducePoint& point = measured.reduce().front();
  const std::string formula = allreduce_formula(point.reducer->name(), fit.wiring);
  return point.runs > 1 ? fmt::format("{} x {} with N/{} each", point.runs, formula, point.runs) : formula;
}

double largest(const std::vector<ReducePoint>& points) {
  double most = 0;
  for (const ReducePoint& p : points) most = std::max(most, unhindered_s(p));
  return most;
}

}  // namespace

void print_sweep_head(Run& run, const SweepOptions& options, const SweepMeasurement& measured) {
  const StepPoint& any = measured.steps().back();
  fmt::print(run.out, "LeNet on {} devices{}, {} allreduce in {} run(s) per step over {}\n",
             run.record.environment().value("backend", "?"),
             run.record.environment().value("emulated", false)
                 ? " that share this machine's hardware (emulated)"
                 : "",
             any.algorithm, any.runs, any.transport);
  fmt::print(run.out, "{} samples of every row, taken in turn; medians; cv = standard deviation / mean\n",
             options.iters);
}

void report_compute_fit(Run& run, const SweepMeasurement& measured, const SweepFit& fit) {
  for (const auto& [width, constants] : fit.widths) {
    fmt::print(run.out, "\nforward + backward on one device, width {}: t = t0 + c b\n", width);
    double most_s = 0;
    for (const ComputePoint& p : measured.compute())
      if (p.width == width) most_s = std::max(most_s, percentile(p.compute_s, 50));
    const TimeUnit unit(most_s);
    Table table({"shard b", unit.header("t"), "cv", unit.header("fitted"), "residual"});
    std::size_t i = 0;
    for (const ComputePoint& p : measured.compute()) {
      if (p.width != width) continue;
      const double residual = constants.compute.residuals[i++], time_s = percentile(p.compute_s, 50);
      const double fitted_s = time_s / (1 + residual);
      table.row({std::to_string(p.shard), unit.cell(time_s), spread(p.compute_s), unit.cell(fitted_s),
                 signed_percent(residual)});
      Case row;
      row.key = {{"kind", "compute"}, {"width", width}, {"shard", p.shard}};
      row.samples_s = p.compute_s;
      row.metrics = {{"fitted_s", fitted_s},
                     {"residual", residual},
                     {"data_s", percentile(p.data_s, 50)},
                     {"passes_per_sample", p.burst}};
      run.record.add_case(row);
    }
    table.print(run.out);
    fmt::print(run.out, "t0 = {}, c = {} per example (95 % intervals)\n", with_interval(constants.compute.p),
               with_interval(constants.compute.q));
  }
}

void report_reduce_fit(Run& run, const SweepMeasurement& measured, const SweepFit& fit) {
  if (!fit.link) {
    fmt::print(run.out, "\nno allreduce: no row has more than one device, so alpha and beta are not known\n");
    return;
  }
  fmt::print(run.out, "\nallreduce of N bytes in all, lower quartiles: t = {}\n",
             link_formula(measured, fit));
  const TimeUnit unit(largest(measured.reduce()));
  Table table({"GPUs", "N", unit.header("t"), "cv", unit.header("fitted"), "residual"});
  for (std::size_t i = 0; i < measured.reduce().size(); ++i) {
    const ReducePoint& p = measured.reduce()[i];
    const double residual = fit.link->residuals[i], time_s = unhindered_s(p);
    const double fitted_s = time_s / (1 + residual), bytes = double(p.timer->bytes());
    table.row({std::to_string(p.gpus), decimal_bytes(bytes), unit.cell(time_s), spread(p.samples_s),
               unit.cell(fitted_s), signed_percent(residual)});
    Case row;
    row.key = {{"kind", "allreduce"},
               {"algo", p.reducer->name()},
               {"gpus", p.gpus},
               {"bytes", json_bytes(bytes)},
               {"runs", p.runs}};
    row.samples_s = p.samples_s;
    row.metrics = {{"lower_quartile_s", time_s},
                   {"fitted_s", fitted_s},
                   {"residual", residual},
                   {"transport", p.reducer->transport()}};
    run.record.add_case(row);
  }
  table.print(run.out);
  fmt::print(run.out, "alpha = {}, beta = {} (95 % intervals)\n", with_interval(fit.link->p),
             rate_with_interval(reciprocal(fit.link->q)));
}

}  // namespace dpx
