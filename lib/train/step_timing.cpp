#include "lib/train/step_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace dpx {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::int32_t> first_rows(std::size_t count) {
  std::vector<std::int32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Without a learning rate the update costs the same and changes nothing.
StepOptions standing_still(StepOptions options) {
  options.lr = 0;
  return options;
}

void set_initial_params(Device& device, Buffer& params, const LeNet& model) {
  std::vector<float> host = initial_params(model, 0);
  device.compute().copy(params.slice(DType::f32), {host.data(), host.size(), DType::f32});
  device.compute().synchronize();
}

void scale(PhaseSeconds& p, double factor) {
  for (double* part : {&p.data_s, &p.forward_backward_s, &p.allreduce_s, &p.straggler_s, &p.update_s,
                       &p.launch_s, &p.other_s})
    *part *= factor;
  if (p.forward_s) *p.forward_s *= factor;
  for (double& time_s : p.rank_forward_backward_s) time_s *= factor;
}

std::vector<Range> shrink(const std::vector<Range>& runs, std::size_t elements) {
  std::size_t whole = 0, first = 0;
  for (const Range& run : runs) whole += run.count;
  std::vector<Range> out;
  for (const Range& run : runs) {
    const double share = double(run.count) / double(whole) * double(elements);
    out.push_back({first, std::max<std::size_t>(1, std::size_t(std::llround(share)))});
    first = out.back().end();
  }
  return out;
}

}  // namespace

ComputeTimer::ComputeTimer(Group& group, Backend& backend, const LeNet& model, const Examples& examples,
                           std::size_t shard)
    : group_(group),
      data_(group, examples, shard),
      engine_(backend.make_engine(group.device(0), model, shard)),
      params_(group.device(0).allocate(model.num_params() * sizeof(float))),
      grads_(group.device(0).allocate(model.num_params() * sizeof(float))),
      replay_(backend.make_replay({&group.device(0)})) {
  set_initial_params(group.device(0), params_, model);
  data_.set_order(first_rows(shard));
}

double ComputeTimer::load_time_s() const {
  double time_s = 0;
  for (const PhaseTime& phase : engine_->phases())
    if (phase.name == "load") time_s += phase.time_s;
  return time_s;
}

ComputeTimer::Sample ComputeTimer::sample(int burst) {
  const RankWork work = data_.work(0).front();
  group_.synchronize();
  const double load_before_s = load_time_s();
  Stream& stream = group_.device(0).compute();
  const auto rebind = [&] { engine_->rebind(stream, work.shard, work.scores); };
  const auto pass = [&]() -> std::vector<Event> {
    engine_->forward_backward(stream, work.shard, params_.slice(DType::f32), grads_.slice(DType::f32),
                              work.scores);
    return {stream.mark()};
  };
  std::vector<Event> ends;
  for (int i = 0; i <= burst; ++i) ends.push_back(replay_->run({work.shard.size()}, rebind, pass).front());
  stream.axpy(params_.slice(DType::f32), 0.0f, grads_.slice(DType::f32));
  const Event updated = stream.record();
  group_.synchronize();
  const double all_s = ends.back()->elapsed_s_since(*ends.front()) / burst;
  const double data_s = (load_time_s() - load_before_s) / (burst + 1);
  return {all_s - data_s, data_s, updated->elapsed_s_since(*ends.back())};
}

StepTimer::StepTimer(Group& group, Backend& backend, const LeNet& model, StepOptions options,
                     const Examples& examples, std::size_t batch)
    : replicas_(group, backend, model, standing_still(std::move(options)),
                part_of({0, batch}, std::size_t(group.size()), 0).count),
      data_(group, examples, batch),
      clock_(replicas_) {
  replicas_.set_params(initial_params(model, 0));
  data_.set_order(first_rows(batch));
}

StepTimer::Sample StepTimer::sample(int burst) {
  const std::vector<RankWork> work = data_.work(0);
  replicas_.group().synchronize();
  clock_.reset();
  std::vector<std::vector<StepMarks>> steps;
  const auto start = Clock::now();
  for (int i = 0; i <= burst; ++i) steps.push_back(replicas_.step(work));
  clock_.add_launch(seconds_since(start) * burst / (burst + 1));
  replicas_.group().synchronize();
  const double time_s = steps.back()[0].updated->elapsed_s_since(*steps.front()[0].updated);
  for (std::size_t i = 1; i < steps.size(); ++i) clock_.add(steps[i]);
  Sample out{time_s / burst, clock_.phases(time_s, 0, double(burst) / (burst + 1))};
  scale(out.phases, 1.0 / burst);
  return out;
}

ReduceTimer::ReduceTimer(Group& group, Reducer& reducer, const std::vector<Range>& runs, std::size_t bytes)
    : group_(group), reducer_(reducer), runs_(shrink(runs, bytes / sizeof(float))) {
  for (int rank = 0; rank < group.size(); ++rank) {
    buffers_.push_back(group.device(rank).allocate(runs_.back().end() * sizeof(float)));
    slices_.push_back(buffers_.back().slice(DType::f32));
  }
}

std::vector<double> ReduceTimer::samples(int count) {
  CollectiveTimer timer(group_, slices_);
  const CollectiveOperation all_runs = [this](const std::vector<Event>& ready) {
    std::vector<Event> done = ready;
    for (const Range& run : runs_) done = reducer_.allreduce(slices_, run, done);
    return done;
  };
  return timer.fresh_s(all_runs, count);
}

}  // namespace dpx
