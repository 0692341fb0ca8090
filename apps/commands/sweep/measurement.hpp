#pragma once
// What a sweep times: passes over shard sizes, allreduces over sizes, whole steps; all of them in turn, so
// that a slow phase of the machine hits all alike.
#include <map>
#include <memory>
#include <vector>

#include "apps/commands/sweep/options.hpp"
#include "lib/core/progress.hpp"
#include "lib/train/step_timing.hpp"

namespace dpx {

struct ComputePoint {
  int width;
  std::int64_t shard;
  std::unique_ptr<ComputeTimer> timer;
  int burst = 1;
  std::vector<double> compute_s, data_s, update_s;  ///< per pass
};

struct ReducePoint {
  int gpus, width, runs;
  std::unique_ptr<Reducer> reducer;
  std::unique_ptr<ReduceTimer> timer;
  int burst = 1;
  std::vector<double> samples_s;
};

struct StepPoint {
  int gpus, width;
  std::int64_t batch;
  std::unique_ptr<StepTimer> timer;
  int burst = 1;
  std::vector<double> samples_s;
  std::vector<PhaseSeconds> phases;
  std::size_t gradient_bytes = 0;
  int runs = 0;
  std::string algorithm, transport, engine;

  bool is(const StepRow& row) const { return gpus == row.gpus && width == row.width && batch == row.batch; }
};

class SweepMeasurement {
 public:
  /// Opens the devices of every k and prepares all points; a k that this machine does not have puts the
  /// reason into its rows. Errors: Exit::unavailable when that leaves none.
  SweepMeasurement(const SweepOptions& options, Backend& backend, std::vector<StepRow>& rows);

  /// Warms everything up once, then takes options.iters samples of everything in turn. False: interrupted.
  bool measure(Progress& progress);

  const std::vector<ComputePoint>& compute() const { return compute_; }
  const std::vector<ReducePoint>& reduce() const { return reduce_; }
  const std::vector<StepPoint>& steps() const { return steps_; }
  const StepPoint* find(const StepRow& row) const;
  /// The group with most devices.
  Group& largest_group() { return *groups_.rbegin()->second; }

 private:
  void open_groups(std::vector<StepRow>& rows);
  void prepare_reduce();
  void prepare_steps(const std::vector<StepRow>& rows);
  void warm_up();
  /// One sample of everything. False: interrupted.
  bool round(Progress& progress, std::int64_t& done);

  const SweepOptions& options_;
  Backend& backend_;
  Examples examples_;
  std::map<int, std::unique_ptr<Group>> groups_;  // before the points: these use them to their end
  std::vector<ComputePoint> compute_;
  std::vector<ReducePoint> reduce_;
  std::vector<StepPoint> steps_;
};

}  // namespace dpx
