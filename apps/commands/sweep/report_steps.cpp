// The table of steps, measured beside predicted.
#include <fmt/ostream.h>

#include <cmath>

#include "apps/commands/explanation.hpp"
#include "apps/commands/model/format.hpp"
#include "apps/commands/sweep/report.hpp"
#include "apps/table.hpp"
#include "lib/measure/statistics.hpp"

namespace dpx {
namespace {

/// One row with all that is known of it.
struct Line {
  const StepRow* row;
  const StepPoint* point = nullptr;  ///< null: not measured
  double step_s = 0, cv = NAN;
  PredictedStep predicted = {};
  std::optional<double> speedup = {}, predicted_speedup = {};
  std::string binding = "";
};

// Medians of the samples' phases, so that one held-up sample moves none of them.
double median_of(const std::vector<PhaseSeconds>& phases, double PhaseSeconds::*part) {
  std::vector<double> values;
  for (const PhaseSeconds& p : phases) values.push_back(p.*part);
  return percentile(values, 50);
}

Json rank_medians(const StepPoint& point) {
  Json out = Json::array();
  for (std::size_t rank = 0; rank < std::size_t(point.gpus); ++rank) {
    std::vector<double> values;
    for (const PhaseSeconds& p : point.phases) values.push_back(p.rank_forward_backward_s[rank]);
    out.push_back(percentile(values, 50));
  }
  return out;
}

Json forward_median(const StepPoint& point) {
  std::vector<double> values;
  for (const PhaseSeconds& p : point.phases)
    if (p.forward_s) values.push_back(*p.forward_s);
  return values.empty() ? Json(nullptr) : Json(percentile(values, 50));
}

Json phase_metrics(const StepPoint& point, double step_s) {
  const auto part = [&](double PhaseSeconds::*name) { return median_of(point.phases, name); };
  Json out = {{"data_s", part(&PhaseSeconds::data_s)},
              {"forward_backward_s", part(&PhaseSeconds::forward_backward_s)},
              {"forward_s", forward_median(point)},
              {"allreduce_s", part(&PhaseSeconds::allreduce_s)},
              {"straggler_s", part(&PhaseSeconds::straggler_s)},
              {"update_s", part(&PhaseSeconds::update_s)},
              {"launch_s", part(&PhaseSeconds::launch_s)}};
  double known_s = 0;
  for (const char* name : {"data_s", "forward_backward_s", "allreduce_s", "update_s"})
    known_s += out[name].get<double>();
  out["other_s"] = step_s - known_s;
  out["rank_forward_backward_s"] = rank_medians(point);
  return out;
}

Line make_line(const SweepMeasurement& measured, const SweepFit& fit, const StepRow& row) {
  Line line{&row};
  line.point = row.reason.empty() ? measured.find(row) : nullptr;
  if (line.point == nullptr) return line;
  const Summary summary = summarize(line.point->samples_s);
  line.step_s = summary.median;
  line.cv = summary.cv;
  line.predicted = fit.predict(row, *line.point);
  StepRow one = row;
  one.gpus = 1;
  if (row.weak) one.batch = row.batch / row.gpus;
  const double gain = row.weak ? row.gpus : 1;
  line.predicted_speedup = gain * fit.predict(one, *line.point).total_s() / line.predicted.total_s();
  if (const StepPoint* alone = measured.find(one))
    line.speedup = gain * percentile(alone->samples_s, 50) / line.step_s;
  return line;
}

Json key_of(const Line& line, const std::string& algo) {
  const StepRow& row = *line.row;
  return {{"kind", "step"},     {"mode", row.mode()},        {"gpus", row.gpus},
          {"width", row.width}, {"global_batch", row.batch}, {"per_device_batch", row.shard()},
          {"algo", algo}};
}

Case case_of(const Line& line, const SweepOptions& options) {
  Case out;
  out.key = key_of(line, line.point ? line.point->algorithm : options.algo);
  if (line.point == nullptr) {
    out.status = "skipped";
    out.reason = line.row->reason;
    return out;
  }
  out.samples_s = line.point->samples_s;
  const double predicted_s = line.predicted.total_s();
  out.metrics = {{"step_s", line.step_s},
                 {"predicted_step_s", predicted_s},
                 {"residual", line.step_s / predicted_s - 1},
                 {"speedup", json_or_null(line.speedup)},
                 {"predicted_speedup", json_or_null(line.predicted_speedup)},
                 {"efficiency", line.speedup ? Json(*line.speedup / line.row->gpus) : Json()},
                 {"examples_per_s", double(line.row->batch) / line.step_s},
                 {"predicted_compute_s", line.predicted.compute_s},
                 {"predicted_data_s", line.predicted.data_s},
                 {"predicted_update_s", line.predicted.update_s},
                 {"predicted_latency_s", line.predicted.comm.latency_s},
                 {"predicted_bandwidth_s", line.predicted.comm.bandwidth_s},
                 {"gradient_bytes", line.point->gradient_bytes},
                 {"allreduces", line.point->runs},
                 {"steps_per_sample", line.point->burst}};
  out.metrics.update(phase_metrics(*line.point, line.step_s));
  return out;
}

void print_steps(Run& run, const std::vector<Line>& lines) {
  double most_s = 0;
  for (const Line& line : lines) most_s = std::max(most_s, line.step_s);
  const TimeUnit unit(most_s);
  fmt::print(run.out, "\nsteps, beside t0 + c b + data + update + allreduce\n");
  Table table({"<scaling", "GPUs", "width", "batch", "per GPU", unit.header("step"), "cv", "predicted",
               "residual", "speedup (predicted)", "of ideal", "<binding term"});
  for (const Line& line : lines) {
    const StepRow& row = *line.row;
    std::vector<std::string> cells{row.mode(), std::to_string(row.gpus), std::to_string(row.width),
                                   std::to_string(row.batch), std::to_string(row.shard())};
    if (line.point != nullptr) {
      const double predicted_s = line.predicted.total_s();
      for (const std::string& cell :
           {unit.cell(line.step_s), whole_percent(line.cv), unit.cell(predicted_s),
            signed_percent(line.step_s / predicted_s - 1),
            fmt::format("{} ({:.2f})", line.speedup ? fmt::format("{:.2f}", *line.speedup) : "n/a",
                        *line.predicted_speedup),
            line.speedup ? whole_percent(*line.speedup / row.gpus) : "n/a", line.binding})
        cells.push_back(cell);
    } else {
      cells.resize(11, "n/a");
      cells.push_back("not measured: " + row.reason);
    }
    table.row(cells);
  }
  table.print(run.out);
}

// The step on most devices: strong where there is one.
const RecordedStep* most_telling(const std::vector<RecordedStep>& steps) {
  const RecordedStep* chosen = nullptr;
  for (const RecordedStep& step : steps)
    if (step.facts.gpus > 1 &&
        (chosen == nullptr || (!step.facts.weak && step.facts.gpus > chosen->facts.gpus)))
      chosen = &step;
  return chosen;
}

}  // namespace

void report_steps(Run& run, const SweepOptions& options, const SweepMeasurement& measured,
                  const SweepFit& fit, const std::vector<StepRow>& rows) {
  std::vector<Line> lines;
  std::vector<Case> cases;
  for (const StepRow& row : rows) {
    lines.push_back(make_line(measured, fit, row));
    cases.push_back(case_of(lines.back(), options));
  }
  // Explained from what the record will hold, so that `dpx explain` says the same.
  Json document = {{"command", "scaling-sweep"}, {"verdict", {{"fit", fit_json(fit, options)}}}};
  for (const Case& row : cases)
    document["cases"].push_back({{"key", row.key}, {"status", row.status}, {"metrics", row.metrics}});
  const std::vector<RecordedStep> steps = recorded_steps(document, "this run");
  std::size_t next = 0;
  double largest_residual = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].point != nullptr) {
      const StepFacts& facts = steps[next++].facts;
      lines[i].binding = facts.gpus > 1 ? std::string(name_of(explain(facts).binding)) : "-";
      cases[i].metrics["binding"] = lines[i].binding == "-" ? Json() : Json(lines[i].binding);
      largest_residual = std::max(largest_residual, std::abs(cases[i].metrics["residual"].get<double>()));
    }
    run.record.add_case(cases[i]);
  }
  Json& verdict = run.record.verdict();
  verdict["fit"] = document["verdict"]["fit"];
  verdict["max_step_residual"] = largest_residual;
  print_steps(run, lines);
  if (const RecordedStep* step = most_telling(steps)) {
    const Explanation explanation = explain(step->facts);
    verdict["explanation"] = explanation_json(explanation);
    print_explanation(run.out, step->facts, explanation);
  }
}

void report_interrupted(Run& run, const SweepMeasurement& measured, const std::vector<StepRow>& rows) {
  for (const ComputePoint& p : measured.compute())
    run.record.add_case({.key = {{"kind", "compute"}, {"width", p.width}, {"shard", p.shard}},
                         .status = "interrupted",
                         .reason = fmt::format("stopped after {} samples", p.compute_s.size()),
                         .samples_s = p.compute_s});
  for (const StepRow& row : rows) {
    const Line line{&row};
    Case out;
    out.status = row.reason.empty() ? "interrupted" : "skipped";
    out.reason = row.reason;
    const StepPoint* point = row.reason.empty() ? measured.find(row) : nullptr;
    out.key = key_of(line, point ? point->algorithm : "");
    if (point != nullptr) {
      out.samples_s = point->samples_s;
      out.reason = fmt::format("stopped after {} samples", point->samples_s.size());
    }
    run.record.add_case(out);
  }
}

}  // namespace dpx
