#pragma once
// Where the time of training steps went, added up over steps.
#include <optional>
#include <vector>

#include "lib/train/data_parallel.hpp"

namespace dpx {

/// Sums over steps; each the mean over the ranks' compute streams. Units: seconds.
struct PhaseSeconds {
  double data_s = 0;  ///< shuffling, upload of the order, gathering and normalising images
  double forward_backward_s = 0;
  std::optional<double> forward_s =
      {};  ///< the part of it before the loss; empty where engines keep no times
  double allreduce_s =
      0;  ///< from the end of the rank's backward pass until the sum is there: waits included
  double straggler_s = 0;  ///< the part of allreduce_s in which the slowest rank still computed
  double update_s = 0;
  double launch_s = 0;  ///< the host's enqueueing; mostly hidden behind the devices' work
  double other_s = 0;   ///< what is left of the wall time
  std::vector<double> rank_forward_backward_s = {};  ///< of each rank
};

/// Adds up steps whose marks have been reached.
class StepClock {
 public:
  explicit StepClock(DataParallel& model) : model_(model) { reset(); }
  /// Forgets all. Devices must be at rest, here and in `phases`.
  void reset();
  /// Waits for the step's end and adds it. Errors: rethrows a device's failure.
  void add(const std::vector<StepMarks>& marks);
  void add_launch(double time_s) { sums_.launch_s += time_s; }
  /// The sums since `reset`. Gathering and normalising images is taken out of the passes and given to the
  /// data, to which `data_s` of the host is added; `wall_s` decides what is left over. `added`: the part of
  /// the devices' work since `reset` that the added steps are.
  PhaseSeconds phases(double wall_s, double data_s, double added = 1) const;

 private:
  /// What an engine's own clocks say since it was made.
  struct EngineSeconds {
    double load_s = 0, forward_s = 0, passes_s = 0;
  };
  std::vector<EngineSeconds> engine_times() const;
  DataParallel& model_;
  PhaseSeconds sums_;
  std::vector<EngineSeconds> before_;
};

}  // namespace dpx
