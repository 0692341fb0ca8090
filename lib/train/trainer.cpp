#include "lib/train/trainer.hpp"

#include <chrono>
#include <numeric>

#include "lib/data/batches.hpp"

namespace dpx {
namespace {

// Steps that the host may be ahead of the devices: enough to never let them wait, few enough to stop quickly.
constexpr std::size_t kStepsAhead = 4;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Trainer::Trainer(DataParallel& model, const Examples& train, std::size_t batch, std::uint64_t seed)
    : model_(model),
      data_(model.group(), train, batch),
      batch_(batch),
      num_examples_(train.size()),
      seed_(seed) {}

EpochReport Trainer::run_epoch(int epoch, const Watcher& watcher) {
  EpochReport report;
  phases_ = {};
  in_flight_.clear();
  model_.group().synchronize();
  const double load_before = load_time_s();
  const auto start = std::chrono::steady_clock::now();
  data_.set_order(shuffled_order(num_examples_, seed_, epoch));
  const double order_s = seconds_since(start);
  while (report.steps < data_.num_batches()) {
    in_flight_.push_back(model_.step(data_.work(report.steps)));
    report.examples += data_.batch(report.steps++).count;
    retire(kStepsAhead);
    if (!watcher(report.examples)) {
      report.finished = report.steps == data_.num_batches();
      break;
    }
  }
  retire(0);
  model_.group().synchronize();
  report.time_s = seconds_since(start);
  const double load_s = load_time_s() - load_before;
  report.phases = phases_;
  report.phases.data_s = order_s + load_s;
  report.phases.forward_backward_s -= load_s;
  report.phases.other_s = report.time_s - report.phases.data_s - report.phases.forward_backward_s -
                          report.phases.allreduce_s - report.phases.update_s;
  report.scores = data_.totals(report.steps);
  return report;
}

void Trainer::retire(std::size_t keep) {
  while (in_flight_.size() > keep) {
    const double share = 1.0 / double(in_flight_.front().size());
    for (const StepMarks& m : in_flight_.front()) {
      m.updated->synchronize();
      phases_.forward_backward_s += share * m.computed->elapsed_s_since(*m.begin);
      phases_.allreduce_s += share * m.reduced->elapsed_s_since(*m.computed);
      phases_.update_s += share * m.updated->elapsed_s_since(*m.reduced);
    }
    in_flight_.pop_front();
  }
}

double Trainer::load_time_s() {
  double total = 0;
  const int ranks = model_.group().size();
  for (int rank = 0; rank < ranks; ++rank)
    for (const PhaseTime& phase : model_.engine(rank).phases())
      if (phase.name == "load") total += phase.time_s;
  return total / ranks;
}

ScoreTotals Trainer::evaluate(const Examples& test) {
  ResidentData data(model_.group(), test, batch_);
  std::vector<std::int32_t> order(test.size());
  std::iota(order.begin(), order.end(), 0);
  data.set_order(std::move(order));
  for (std::size_t b = 0; b < data.num_batches(); ++b) model_.evaluate(data.work(b));
  model_.group().synchronize();
  return data.totals(data.num_batches());
}

}  // namespace dpx
