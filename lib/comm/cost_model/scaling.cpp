#include "lib/comm/cost_model/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {
namespace {

double offset_s(const StepModel& m) {
  return m.accumulate * m.t0_s;
}

double work_s(const StepModel& m) {
  return m.c_s_per_example * m.batch;
}

// The bound of the allreduce's bandwidth term.
double bound_s(const StepModel& m) {
  return 2 * m.gradient_bytes / m.link.beta_Bps;
}

}  // namespace

StepTime strong_step(const StepModel& model, int k) {
  return {offset_s(model) + work_s(model) / k, ring_time(k, model.gradient_bytes, model.link)};
}

StepTime weak_step(const StepModel& model, int k) {
  return {offset_s(model) + work_s(model), ring_time(k, model.gradient_bytes, model.link)};
}

double strong_speedup(const StepModel& model, int k) {
  return strong_step(model, 1).total_s() / strong_step(model, k).total_s();
}

double weak_speedup(const StepModel& model, int k) {
  return k * weak_step(model, 1).total_s() / weak_step(model, k).total_s();
}

double strong_limit(const StepModel& model) {
  return (offset_s(model) + work_s(model)) / (offset_s(model) + bound_s(model));
}

double weak_efficiency_limit(const StepModel& model) {
  const double compute_s = offset_s(model) + work_s(model);
  return compute_s / (compute_s + bound_s(model));
}

std::optional<double> break_even_bandwidth_Bps(const StepModel& model, int k) {
  const double left_s = work_s(model) - 2.0 * k * model.link.alpha_s;
  if (left_s <= 0) return std::nullopt;
  return 2 * model.gradient_bytes / left_s;
}

std::optional<double> break_even_batch(const StepModel& model, int k) {
  if (model.c_s_per_example <= 0) return std::nullopt;
  return (2.0 * k * model.link.alpha_s + bound_s(model)) / model.c_s_per_example;
}

int best_world_size(const StepModel& model, int max_k) {
  const double gain_s = work_s(model) - bound_s(model);
  if (gain_s <= 0) return 1;
  if (model.link.alpha_s == 0) return max_k;
  const double optimum = std::sqrt(gain_s / (2 * model.link.alpha_s));
  int best = 1;
  for (const double candidate : {std::floor(optimum), std::ceil(optimum)}) {
    const int k = int(std::clamp(candidate, 1.0, double(max_k)));
    if (strong_step(model, k).total_s() < strong_step(model, best).total_s()) best = k;
  }
  return best;
}

std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch) {
  return (examples + batch - 1) / batch;
}

}  // namespace dpx
