#include "lib/train/step_phases.hpp"

#include <algorithm>

namespace dpx {

void StepClock::reset() {
  sums_ = {};
  sums_.rank_forward_backward_s.assign(std::size_t(model_.group().size()), 0.0);
  before_ = engine_times();
}

// Only times between events of one device are taken: two GPUs have no common clock. The ranks leave the
// allreduce before together, so the slowest is the one that computes longest.
void StepClock::add(const std::vector<StepMarks>& marks) {
  const double share = 1.0 / double(marks.size());
  double slowest_s = 0, sum_s = 0;
  for (std::size_t rank = 0; rank < marks.size(); ++rank) {
    const StepMarks& m = marks[rank];
    m.updated->synchronize();
    const double computed_s = m.computed->elapsed_s_since(*m.begin);
    sums_.rank_forward_backward_s[rank] += computed_s;
    slowest_s = std::max(slowest_s, computed_s);
    sum_s += computed_s;
    sums_.allreduce_s += share * m.reduced->elapsed_s_since(*m.computed);
    sums_.update_s += share * m.updated->elapsed_s_since(*m.reduced);
  }
  sums_.straggler_s += slowest_s - share * sum_s;
}

std::vector<StepClock::EngineSeconds> StepClock::engine_times() const {
  std::vector<EngineSeconds> times;
  for (int rank = 0; rank < model_.group().size(); ++rank) {
    EngineSeconds& t = times.emplace_back();
    for (const PhaseTime& phase : model_.engine(rank).phases()) {
      (phase.name == "load" ? t.load_s : t.passes_s) += phase.time_s;
      if (phase.name.ends_with("_forward")) t.forward_s += phase.time_s;
    }
  }
  return times;
}

PhaseSeconds StepClock::phases(double wall_s, double data_s, double added) const {
  PhaseSeconds out = sums_;
  out.data_s = data_s;
  const std::vector<EngineSeconds> now = engine_times();
  const double share = 1.0 / double(now.size());
  double forward_s = 0;
  bool forward_is_known = true;
  for (std::size_t rank = 0; rank < now.size(); ++rank) {
    const double load_s = added * (now[rank].load_s - before_[rank].load_s);
    out.rank_forward_backward_s[rank] -= load_s;
    out.forward_backward_s += share * out.rank_forward_backward_s[rank];
    out.data_s += share * load_s;
    const double passes_s = now[rank].passes_s - before_[rank].passes_s;
    forward_is_known = forward_is_known && passes_s > 0;
    if (forward_is_known)
      forward_s += share * out.rank_forward_backward_s[rank] *
                   (now[rank].forward_s - before_[rank].forward_s) / passes_s;
  }
  if (forward_is_known) out.forward_s = forward_s;
  out.straggler_s = std::min(out.straggler_s, out.allreduce_s);
  out.other_s = wall_s - out.data_s - out.forward_backward_s - out.allreduce_s - out.update_s;
  return out;
}

}  // namespace dpx
