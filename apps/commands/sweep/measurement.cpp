#include "apps/commands/sweep/measurement.hpp"

#include <algorithm>
#include <cmath>

#include "apps/commands/emulated_links.hpp"
#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"
#include "lib/data/synthetic.hpp"

namespace dpx {
namespace {

constexpr double kReduceShare = 0.1;  // of a sample's time: these are timed one by one
constexpr int kMaxBurst = 64;

int burst_for(double once_s, double wanted_s) {
  return int(std::clamp(std::ceil(wanted_s / std::max(once_s, 1e-9)), 1.0, double(kMaxBurst)));
}

std::size_t largest_need(const SweepOptions& options, const std::vector<StepRow>& rows) {
  std::int64_t most = *std::max_element(options.shards.begin(), options.shards.end());
  for (const StepRow& row : rows)
    if (row.reason.empty()) most = std::max(most, row.batch);
  return std::size_t(most);
}

}  // namespace

SweepMeasurement::SweepMeasurement(const SweepOptions& options, Backend& backend, std::vector<StepRow>& rows)
    : options_(options),
      backend_(backend),
      examples_(synthetic_examples(largest_need(options, rows), /*seed=*/0)) {
  open_groups(rows);
  for (const std::int64_t w : options.width)
    for (const std::int64_t shard : options.shards)
      compute_.push_back({int(w),
                          shard,
                          std::make_unique<ComputeTimer>(*groups_.at(1), backend, LeNet(int(w)), examples_,
                                                         std::size_t(shard)),
                          1,
                          {},
                          {},
                          {}});
  prepare_steps(rows);
  prepare_reduce();
}

void SweepMeasurement::open_groups(std::vector<StepRow>& rows) {
  const auto open = [&](int k) {
    groups_.emplace(k, std::make_unique<Group>(backend_.open(options_.device_request(k))));
  };
  open(1);
  std::map<int, std::string> missing;
  for (StepRow& row : rows) {
    if (!row.reason.empty() || groups_.contains(row.gpus)) continue;
    if (!missing.contains(row.gpus)) {
      try {
        open(row.gpus);
        continue;
      } catch (const Error& e) {
        if (e.code() != Exit::unavailable) throw;
        missing[row.gpus] = e.what();
      }
    }
    row.reason = missing[row.gpus];
  }
  if (std::none_of(rows.begin(), rows.end(), [](const StepRow& row) { return row.reason.empty(); }))
    throw Error(Exit::unavailable, rows.front().reason);
}

void SweepMeasurement::prepare_steps(const std::vector<StepRow>& rows) {
  for (const StepRow& row : rows) {
    if (!row.reason.empty() || find(row) != nullptr) continue;  // k = 1 is the same step in both modes
    const LeNet model(row.width);
    StepPoint point{row.gpus, row.width, row.batch, nullptr, 1, {}, {}, 0, 0, "", "", ""};
    point.timer =
        std::make_unique<StepTimer>(*groups_.at(row.gpus), backend_, model, options_.step_options(row.width),
                                    examples_, std::size_t(row.batch));
    DataParallel& replicas = point.timer->replicas();
    point.gradient_bytes = model.num_params() * sizeof(float);
    point.runs = int(replicas.buckets().size());
    point.algorithm = replicas.algorithm();
    point.transport = replicas.transport();
    point.engine = replicas.engine(0).name();
    steps_.push_back(std::move(point));
  }
}

// The model of the narrowest width cut as the steps cut theirs, at sizes up to the widest one's.
void SweepMeasurement::prepare_reduce() {
  const int narrow = int(*std::min_element(options_.width.begin(), options_.width.end()));
  const int wide = int(*std::max_element(options_.width.begin(), options_.width.end()));
  const auto bytes_of = [](int width) { return std::int64_t(LeNet(width).num_params() * sizeof(float)); };
  for (const auto& [k, group] : groups_) {
    const auto step = std::find_if(steps_.begin(), steps_.end(),
                                   [&, gpus = k](const StepPoint& p) { return p.gpus == gpus; });
    if (k < 2 || step == steps_.end()) continue;
    for (const std::int64_t size : options_.reduce_sizes(bytes_of(narrow), bytes_of(wide))) {
      ReducePoint point{
          k,          step->width,
          step->runs, backend_.make_reducer_on(link_model(options_.link), options_.algo, *group),
          nullptr,    1,
          {}};
      point.timer = std::make_unique<ReduceTimer>(*group, *point.reducer, step->timer->replicas().buckets(),
                                                  std::size_t(size));
      reduce_.push_back(std::move(point));
    }
  }
}

const StepPoint* SweepMeasurement::find(const StepRow& row) const {
  for (const StepPoint& point : steps_)
    if (point.is(row)) return &point;
  return nullptr;
}

void SweepMeasurement::warm_up() {
  for (ComputePoint& p : compute_) {
    p.timer->sample(1);
    const ComputeTimer::Sample once = p.timer->sample(1);
    p.burst = burst_for(once.compute_s + once.data_s, options_.min_time_s);
  }
  for (ReducePoint& p : reduce_) {
    p.timer->samples(1);
    p.burst = burst_for(p.timer->samples(1).front(), kReduceShare * options_.min_time_s);
  }
  for (StepPoint& p : steps_) {
    p.timer->sample(1);
    p.burst = burst_for(p.timer->sample(1).step_s, options_.min_time_s);
  }
}

bool SweepMeasurement::round(Progress& progress, std::int64_t& done) {
  const auto go_on = [&] {
    progress.tick(++done);
    return interrupt_signal() == 0;
  };
  for (ComputePoint& p : compute_) {
    const ComputeTimer::Sample sample = p.timer->sample(p.burst);
    if (!go_on()) return false;
    p.compute_s.push_back(sample.compute_s);
    p.data_s.push_back(sample.data_s);
    p.update_s.push_back(sample.update_s);
  }
  for (StepPoint& p : steps_) {
    StepTimer::Sample sample = p.timer->sample(p.burst);
    if (!go_on()) return false;  // an emulated link stops waiting then: no time of a step
    p.samples_s.push_back(sample.step_s);
    p.phases.push_back(std::move(sample.phases));
  }
  for (ReducePoint& p : reduce_) {
    if (p.burst > 1) p.timer->samples(p.burst);  // the first short ones after a rest pay for waking up
    const std::vector<double> samples = p.timer->samples(p.burst);
    if (!go_on()) return false;
    p.samples_s.insert(p.samples_s.end(), samples.begin(), samples.end());
  }
  return true;
}

bool SweepMeasurement::measure(Progress& progress) {
  const auto points = std::int64_t(compute_.size() + reduce_.size() + steps_.size());
  progress.start("sweep", points * options_.iters);
  std::int64_t done = 0;
  warm_up();
  bool complete = interrupt_signal() == 0;
  for (int i = 0; complete && i < options_.iters; ++i) complete = round(progress, done);
  progress.finish();
  return complete;
}

}  // namespace dpx
