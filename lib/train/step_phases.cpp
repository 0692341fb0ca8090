#include "lib/train/step_phases.hpp"

#include <algorithm>

namespace dpx {

void StepClock::reset() {
  sums_ = {};
  sums_.rank_forward_backward_s.assign(std::size_t(model_.group().size()), 0.0);
  load_before_ = load_times();
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

std::vector<double> StepClock::load_times() const {
  std::vector<double> times;
  for (int rank = 0; rank < model_.group().size(); ++rank) {
    times.push_back(0);
    for (const PhaseTime& phase : model_.engine(rank).phases())
      if (phase.name == "load") times.back() += phase.time_s;
  }
  return times;
}

PhaseSeconds StepClock::phases(double wall_s, double data_s, double added) const {
  PhaseSeconds out = sums_;
  out.data_s = data_s;
  const std::vector<double> load = load_times();
  const double share = 1.0 / double(load.size());
  for (std::size_t rank = 0; rank < load.size(); ++rank) {
    const double load_s = added * (load[rank] - load_before_[rank]);
    out.rank_forward_backward_s[rank] -= load_s;
    out.forward_backward_s += share * out.rank_forward_backward_s[rank];
    out.data_s += share * load_s;
  }
  out.straggler_s = std::min(out.straggler_s, out.allreduce_s);
  out.other_s = wall_s - out.data_s - out.forward_backward_s - out.allreduce_s - out.update_s;
  return out;
}

}  // namespace dpx
