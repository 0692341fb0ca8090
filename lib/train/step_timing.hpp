#pragma once
// Times of one training step and of its parts, repeated on the same examples. Parameters never move: what is
// timed last is the same work as what was timed first.
#include <memory>

#include "lib/measure/collective_timing.hpp"
#include "lib/train/resident_data.hpp"
#include "lib/train/step_phases.hpp"

namespace dpx {

/// Forward and backward pass of one device, without anything around it.
class ComputeTimer {
 public:
  /// The first `shard` of `examples`, which must outlive this object, on the first device of `group`.
  ComputeTimer(Group& group, Backend& backend, const LeNet& model, const Examples& examples,
               std::size_t shard);
  ~ComputeTimer() { group_.drain(); }
  ComputeTimer(const ComputeTimer&) = delete;
  ComputeTimer& operator=(const ComputeTimer&) = delete;

  struct Sample {
    double compute_s = 0;  ///< forward + backward
    double data_s = 0;     ///< gathering and normalising images
    double update_s = 0;   ///< an update of the parameters behind them; in no other time
  };
  /// Mean over `burst` passes enqueued one behind the other, behind a first one that wakes the device up.
  Sample sample(int burst);

 private:
  double load_time_s() const;
  Group& group_;
  ResidentData data_;
  std::unique_ptr<ModelEngine> engine_;
  Buffer params_, grads_;
  std::unique_ptr<Replay> replay_;
};

/// Whole training steps on all devices of a group.
class StepTimer {
 public:
  /// The first `batch` of `examples`, which must outlive this object.
  StepTimer(Group& group, Backend& backend, const LeNet& model, StepOptions options, const Examples& examples,
            std::size_t batch);

  struct Sample {
    double step_s = 0;
    PhaseSeconds phases;  ///< per step
  };
  /// Mean over `burst` steps enqueued one behind the other, behind a first one that wakes the devices up: in
  /// a training they never rest. By the clock of device 0, which the allreduce keeps in step with the others.
  Sample sample(int burst);
  DataParallel& replicas() { return replicas_; }

 private:
  DataParallel replicas_;
  ResidentData data_;
  StepClock clock_;
};

/// All allreduces of a step as one operation, over buffers of a size to be chosen.
class ReduceTimer {
 public:
  /// `runs`: the step's, over `count` elements; they are shrunk in proportion to `bytes` in all (of which
  /// each has one element at least).
  ReduceTimer(Group& group, Reducer& reducer, const std::vector<Range>& runs, std::size_t bytes);
  ~ReduceTimer() { group_.drain(); }
  ReduceTimer(const ReduceTimer&) = delete;
  ReduceTimer& operator=(const ReduceTimer&) = delete;

  /// Seconds of `count` operations one after the other, each from the last rank's start to the last rank's
  /// end.
  std::vector<double> samples(int count);
  /// What one operation reduces. Units: bytes.
  std::size_t bytes() const { return slices_[0].bytes(); }

 private:
  Group& group_;
  Reducer& reducer_;
  std::vector<Range> runs_;
  std::vector<Buffer> buffers_;
  std::vector<Slice> slices_;
};

}  // namespace dpx
