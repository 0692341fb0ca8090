#include "apps/commands/sweep/weak_training.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/model/format.hpp"
#include "apps/commands/training_options.hpp"
#include "apps/table.hpp"
#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"
#include "lib/measure/fits.hpp"
#include "lib/measure/statistics.hpp"
#include "lib/train/trainer.hpp"

namespace dpx {
namespace {

/// Trainings of one row at one rate.
struct Series {
  const StepRow* row;
  double lr;
  std::vector<double> accuracies, times_s;  ///< by seed
};

/// Difference of two series' accuracies, seed by seed. One seed has no interval.
struct Difference {
  double mean = 0;
  std::optional<double> half_width;  ///< of the 95 % interval
};

Difference difference(const Series& a, const Series& b) {
  std::vector<double> by_seed;
  for (std::size_t i = 0; i < std::min(a.accuracies.size(), b.accuracies.size()); ++i)
    by_seed.push_back(a.accuracies[i] - b.accuracies[i]);
  Difference out{summarize(by_seed).mean, {}};
  if (by_seed.size() < 2) return out;
  double squares = 0;
  for (const double d : by_seed) squares += (d - out.mean) * (d - out.mean);
  const double n = double(by_seed.size());
  out.half_width = student_t_95(by_seed.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return out;
}

class WeakTraining {
 public:
  WeakTraining(Run& run, const SweepOptions& options, Backend& backend, const Dataset& data)
      : run_(run), options_(options), backend_(backend), data_(data) {}
  void add_series(const std::vector<StepRow>& rows);
  void train_all();
  void report();

 private:
  bool train_once(Series& series, std::uint64_t seed);
  void add_case(const Series& series);
  void report_differences();

  Run& run_;
  const SweepOptions& options_;
  Backend& backend_;
  const Dataset& data_;
  std::vector<Series> series_;
};

void WeakTraining::add_series(const std::vector<StepRow>& rows) {
  for (const StepRow& row : rows) {
    if (!row.weak || !row.reason.empty()) continue;
    series_.push_back({&row, options_.lr, {}, {}});
    if (row.gpus > 1) series_.push_back({&row, options_.lr * row.gpus, {}, {}});
  }
}

// False: interrupted; the training then does not count.
bool WeakTraining::train_once(Series& series, std::uint64_t seed) {
  const StepRow& row = *series.row;
  Group group(backend_.open(options_.device_request(row.gpus)));
  const LeNet model(row.width);
  StepOptions step = options_.step_options(row.width);
  step.lr = series.lr;
  const auto batch = std::size_t(row.batch);
  DataParallel replicas(group, backend_, model, step, part_of({0, batch}, std::size_t(row.gpus), 0).count);
  replicas.set_params(initial_params(model, seed));
  Trainer trainer(replicas, data_.train, batch, seed);
  double time_s = 0;
  for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
    const EpochReport report = trainer.run_epoch(epoch, [](std::size_t) { return interrupt_signal() == 0; });
    if (!report.finished || interrupt_signal() != 0) return false;
    time_s += report.time_s;
  }
  const ScoreTotals test = trainer.evaluate(data_.test);
  series.accuracies.push_back(double(test.correct) / double(std::max<std::size_t>(test.count, 1)));
  series.times_s.push_back(time_s);
  return true;
}

void WeakTraining::train_all() {
  run_.progress.start("training", std::int64_t(series_.size()) * options_.seeds);
  std::int64_t done = 0;
  for (int seed = 0; seed < options_.seeds; ++seed)
    for (Series& series : series_) {
      if (!train_once(series, run_.seed + std::uint64_t(seed))) return run_.progress.finish();
      run_.progress.tick(++done);
    }
  run_.progress.finish();
}

void WeakTraining::add_case(const Series& s) {
  const Summary accuracy = summarize(s.accuracies);
  Case out;
  out.key = {{"kind", "training"},           {"mode", "weak"}, {"gpus", s.row->gpus}, {"width", s.row->width},
             {"global_batch", s.row->batch}, {"lr", s.lr}};
  out.samples_s = s.times_s;
  out.metrics = {
      {"epochs", options_.epochs},
      {"steps_per_epoch", (data_.train.size() + std::size_t(s.row->batch) - 1) / std::size_t(s.row->batch)},
      {"test_accuracies", s.accuracies},
      {"mean_accuracy", accuracy.mean},
      {"min_accuracy", accuracy.min},
      {"max_accuracy", accuracy.max}};
  if (s.accuracies.size() < std::size_t(options_.seeds)) {
    out.status = "interrupted";
    out.reason = fmt::format("stopped after {} of {} seeds", s.accuracies.size(), options_.seeds);
  }
  run_.record.add_case(out);
}

void WeakTraining::report() {
  fmt::print(run_.out, "\nweak scaling, {} epoch(s) of {} {} examples: test accuracy over {} seed(s)\n",
             options_.epochs, data_.train.size(), data_.name, options_.seeds);
  Table table({"GPUs", "width", "batch", "rate", "steps/epoch", "accuracy", "lowest", "highest", "s/epoch"});
  for (const Series& s : series_) {
    add_case(s);
    const Summary accuracy = summarize(s.accuracies);
    const auto cell = [](double x) { return std::isfinite(x) ? fmt::format("{:.4f}", x) : "n/a"; };
    const std::size_t batch = std::size_t(s.row->batch);
    table.row({std::to_string(s.row->gpus), std::to_string(s.row->width), std::to_string(batch),
               four_digits(s.lr), std::to_string((data_.train.size() + batch - 1) / batch),
               cell(accuracy.mean), cell(accuracy.min), cell(accuracy.max),
               cell(percentile(s.times_s, 50) / options_.epochs)});
  }
  table.print(run_.out);
  report_differences();
}

void WeakTraining::report_differences() {
  Json differences = Json::array();
  for (std::size_t i = 0; i + 1 < series_.size(); ++i) {
    const Series &given = series_[i], &scaled = series_[i + 1];
    if (given.row != scaled.row || scaled.accuracies.empty()) continue;
    const Difference d = difference(scaled, given);
    const bool certain = d.half_width && std::abs(d.mean) > *d.half_width;
    std::string verdict = "one seed cannot tell chance from effect";
    if (d.half_width)
      verdict = certain ? (d.mean > 0 ? "the scaled rate is better" : "the scaled rate is worse")
                        : "no difference beyond that between seeds";
    fmt::print(run_.out, "{} devices, rate {} instead of {}: accuracy {:+.4f}{}: {}\n", given.row->gpus,
               four_digits(scaled.lr), four_digits(given.lr), d.mean,
               d.half_width ? fmt::format(" +- {:.4f}", *d.half_width) : "", verdict);
    differences.push_back({{"gpus", given.row->gpus},
                           {"width", given.row->width},
                           {"global_batch", given.row->batch},
                           {"lr", given.lr},
                           {"scaled_lr", scaled.lr},
                           {"mean_difference", d.mean},
                           {"half_width_95", json_or_null(d.half_width)},
                           {"verdict", verdict}});
  }
  run_.record.verdict()["weak_training"] = {{"data", describe_data(data_)}, {"differences", differences}};
}

}  // namespace

void train_weak(Run& run, const SweepOptions& options, Backend& backend, const Dataset& data,
                const std::vector<StepRow>& rows) {
  WeakTraining training(run, options, backend, data);
  training.add_series(rows);
  training.train_all();
  training.report();
}

}  // namespace dpx
