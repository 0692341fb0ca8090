#include "apps/commands/sweep/sweep_fit.hpp"

#include <algorithm>
#include <cmath>

#include "lib/measure/statistics.hpp"

namespace dpx {
namespace {

double median(const std::vector<double>& samples) {
  return percentile(samples, 50);
}

WidthFit fit_width(const SweepMeasurement& measured, int width) {
  std::vector<FitPoint> compute, data;
  WidthFit out;
  for (const ComputePoint& point : measured.compute()) {
    if (point.width != width) continue;
    compute.push_back({1, double(point.shard), median(point.compute_s)});
    data.push_back({1, double(point.shard), median(point.data_s)});
    out.update_s = median(point.update_s);
  }
  out.compute = fit_two_costs(compute);
  if (std::all_of(data.begin(), data.end(), [](const FitPoint& p) { return p.y > 0; }))
    out.data = fit_two_costs(data);
  out.num_params = LeNet(width).num_params();
  return out;
}

Json interval(const Estimate& e) {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  return {{"value", finite(e.value)}, {"low", finite(e.low)}, {"high", finite(e.high)}};
}

Json width_json(const WidthFit& fit) {
  Json out = {{"t0_s", interval(fit.compute.p)},
              {"c_s_per_example", interval(fit.compute.q)},
              {"data_t0_s", fit.data ? interval(fit.data->p) : Json()},
              {"data_s_per_example", fit.data ? interval(fit.data->q) : Json()},
              {"update_s", fit.update_s}};
  // What a device pays in full, and what shrinks with its shard.
  out["fixed_s"] = fit.compute.p.value + (fit.data ? fit.data->p.value : 0) + fit.update_s;
  out["per_example_s"] = fit.compute.q.value + (fit.data ? fit.data->q.value : 0);
  out["max_residual"] = fit.compute.max_residual;
  out["points"] = fit.compute.points;
  out["num_params"] = fit.num_params;
  return out;
}

}  // namespace

double unhindered_s(const ReducePoint& point) {
  return percentile(point.samples_s, 25);
}

CommTerms terms_of(const ReducePoint& point, Wiring wiring) {
  return allreduce_terms(point.reducer->name(), point.gpus, double(point.timer->bytes()), point.runs, wiring);
}

SweepFit fit_sweep(const SweepMeasurement& measured, Wiring wiring) {
  SweepFit fit;
  fit.wiring = wiring;
  for (const ComputePoint& point : measured.compute())
    if (!fit.widths.contains(point.width)) fit.widths[point.width] = fit_width(measured, point.width);
  std::vector<FitPoint> reduce;
  for (const ReducePoint& point : measured.reduce()) {
    const CommTerms terms = terms_of(point, wiring);
    reduce.push_back({terms.starts, terms.path_bytes, unhindered_s(point)});
  }
  if (!reduce.empty()) fit.link = fit_two_costs(reduce);
  return fit;
}

AlphaBeta SweepFit::alpha_beta() const {
  return link ? AlphaBeta{link->p.value, 1 / link->q.value} : AlphaBeta{0, INFINITY};
}

PredictedStep SweepFit::predict(const StepRow& row, const StepPoint& point) const {
  const WidthFit& w = widths.at(row.width);
  const double shard = double(row.shard());
  PredictedStep out;
  out.compute_s = w.compute.p.value + w.compute.q.value * shard;
  if (w.data) out.data_s = w.data->p.value + w.data->q.value * shard;
  out.update_s = w.update_s;
  if (row.gpus > 1)
    out.comm = allreduce_terms(point.algorithm, row.gpus, double(point.gradient_bytes), point.runs, wiring)
                   .time(alpha_beta());
  return out;
}

Json fit_json(const SweepFit& fit, const SweepOptions& options) {
  const WidthFit& first = fit.widths.at(int(options.width.front()));
  Json out = {{"alpha_s", fit.link ? interval(fit.link->p) : Json()},
              {"beta_Bps", fit.link && fit.link->q.value > 0 ? interval(reciprocal(fit.link->q)) : Json()},
              {"t0_s", interval(first.compute.p)},
              {"c_s_per_example", interval(first.compute.q)},
              {"backward_s", nullptr},
              {"num_params", first.num_params},
              {"batch", options.batch.front()},
              {"confidence", 0.95},
              {"wiring", fit.wiring == Wiring::bus ? "bus" : "full"},
              {"allreduce_max_residual", fit.link ? Json(fit.link->max_residual) : Json()},
              {"allreduce_points", fit.link ? fit.link->points : 0}};
  out["by_width"] = Json::object();
  for (const auto& [width, constants] : fit.widths)
    out["by_width"][std::to_string(width)] = width_json(constants);
  return out;
}

}  // namespace dpx
