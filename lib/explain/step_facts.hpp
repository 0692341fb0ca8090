#pragma once
// What a measurement says of one training step on k devices.
#include <optional>
#include <string>
#include <vector>

#include "lib/comm/cost_model/step_cost.hpp"

namespace dpx {

/// Where a step's time goes; means over the ranks, parts add up to the step. Units: seconds.
struct StepParts {
  double data_s = 0;     ///< shuffling, gathering and normalising images
  double launch_s = 0;   ///< the host's enqueueing, as far as the devices' work does not hide it
  double compute_s = 0;  ///< forward + backward of the rank that is fastest on average
  std::optional<double> forward_share = {};  ///< of compute_s; empty where the engine does not tell
  double straggler_s = 0;                    ///< what the slowest rank takes beyond that, in each step
  double allreduce_s = 0;                    ///< exposed communication, without that waiting
  double update_s = 0;
  double rest_s = 0;  ///< what none of these explains

  double total_s() const {
    return data_s + launch_s + compute_s + straggler_s + allreduce_s + update_s + rest_s;
  }
  /// What k devices should shrink but for the data: everything a single device does, too.
  double own_work_s() const { return launch_s + compute_s + update_s + rest_s; }
};

/// The step that is explained, and what it can be judged by. Empty: the measurement does not carry it.
struct StepFacts {
  int gpus = 1, width = 1;
  double batch = 0;   ///< global
  bool weak = false;  ///< compared with one device that has batch / gpus examples
  StepParts step;
  std::vector<double> rank_compute_s;  ///< forward + backward of each rank

  std::optional<StepParts> one;       ///< the step on one device
  bool one_is_predicted = false;      ///< from t0 and c
  std::optional<StepCost> algorithm;  ///< algo, runs, gradient_bytes, wiring; constants only as said below
  bool has_link = false;              ///< algorithm->link is known
  bool has_compute = false;           ///< algorithm->fixed_s and per_example_s are known
};

}  // namespace dpx
