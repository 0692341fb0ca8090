#pragma once
// Trainer: epochs over a data set, where their time went, and the accuracy on a test set.
#include <deque>
#include <functional>

#include "lib/train/resident_data.hpp"
#include "lib/train/step_phases.hpp"

namespace dpx {

struct EpochReport {
  double time_s = 0;
  PhaseSeconds phases;
  std::size_t steps = 0, examples = 0;
  ScoreTotals scores;
  bool finished = true;  ///< false: stopped by the caller after `steps` steps
  double loss() const { return scores.count > 0 ? scores.loss_sum / double(scores.count) : 0.0; }
};

class Trainer {
 public:
  /// Called as steps complete, with the examples done so far in the epoch; false stops the epoch.
  using Watcher = std::function<bool(std::size_t examples)>;

  Trainer(DataParallel& model, const Examples& train, std::size_t batch, std::uint64_t seed);

  /// One pass over the training set in the order of (seed, epoch). The clock runs from devices at rest to
  /// devices at rest and includes shuffling. Errors: rethrows a device's failure.
  EpochReport run_epoch(int epoch, const Watcher& watcher);

  /// Forward pass over all of `test`, each example once.
  ScoreTotals evaluate(const Examples& test);

 private:
  void retire(std::size_t keep);

  DataParallel& model_;
  ResidentData data_;
  std::size_t batch_, num_examples_;
  std::uint64_t seed_;
  std::deque<std::vector<StepMarks>> in_flight_;
  StepClock clock_;
};

}  // namespace dpx
