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
      seed_(seed),
      clock_(model) {}

EpochReport Trainer::run_epoch(int epoch, const Watcher& watcher) {
  EpochReport report;
  in_flight_.clear();
  model_.group().synchronize();
  clock_.reset();
  const auto start = std::chrono::steady_clock::now();
  data_.set_order(shuffled_order(num_examples_, seed_, epoch));
  const double order_s = seconds_since(start);
  while (report.steps < data_.num_batches()) {
    const auto launch = std::chrono::steady_clock::now();
    in_flight_.push_back(model_.step(data_.work(report.steps)));
    clock_.add_launch(seconds_since(launch));
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
  report.phases = clock_.phases(report.time_s, order_s);
  report.scores = data_.totals(report.steps);
  return report;
}

void Trainer::retire(std::size_t keep) {
  while (in_flight_.size() > keep) {
    clock_.add(in_flight_.front());
    in_flight_.pop_front();
  }
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
