#pragma once
// DataParallel: k replicas and the chapter's five steps. The host thread only enqueues; streams and events do
// the rest.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/backend/backend.hpp"
#include "lib/comm/group.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/train/step_options.hpp"

namespace dpx {

/// One model copy on one device.
struct Replica {
  Device* device;
  std::unique_ptr<ModelEngine> engine;
  Buffer params, grads;
  Buffer stale;  ///< only under Fault::stale_bucket: the bucket's gradient of the step before
};

/// What rank r works on in one step.
struct RankWork {
  Shard shard;
  Scores scores;
};

/// Points in one rank's compute stream during a step.
struct StepMarks {
  Event begin, computed, reduced, updated;
};

class DataParallel {
 public:
  /// `max_shard` bounds the examples that a rank gets in one call.
  DataParallel(Group& group, Backend& backend, const LeNet& model, const StepOptions& options,
               std::size_t max_shard);

  /// The same values in every replica. Shapes: (num_params).
  void set_params(const std::vector<float>& params);
  /// Replica `rank`'s values, read back from its device.
  std::vector<float> params(int rank);
  /// hash_bits of every replica's parameters.
  std::vector<std::uint64_t> param_hashes();

  /// One training step; returns each rank's marks. Async. `work` has one entry per rank; shards may be empty,
  /// not all.
  std::vector<StepMarks> step(const std::vector<RankWork>& work);
  /// Forward pass of each rank's part. Async.
  void evaluate(const std::vector<RankWork>& work);

  Group& group() { return group_; }
  const LeNet& model() const { return model_; }
  std::string algorithm() const { return reducer_->name(); }
  std::string transport() const { return reducer_->transport(); }
  const std::vector<Range>& buckets() const { return buckets_; }
  /// Operations of a recorded step; 0 where steps are enqueued one by one.
  std::size_t recorded_nodes() const { return replay_->nodes(); }
  ModelEngine& engine(int rank) { return *replicas_[std::size_t(rank)].engine; }

 private:
  /// One step as it is; the marks of every rank, one behind the other.
  std::vector<Event> enqueue_step(const std::vector<RankWork>& work);
  /// Sets begin and computed; returns, per rank, the point from which the gradient may be read.
  std::vector<Event> compute_gradients(const std::vector<RankWork>& work, std::size_t batch,
                                       std::vector<StepMarks>& marks);
  /// Sums the gradients from `ready` on; returns, per rank, the point from which the sum may be read.
  std::vector<Event> allreduce(std::vector<Event> ready);
  float step_scale(std::size_t batch) const;
  double shard_scale(std::size_t shard, std::size_t batch) const;

  Group& group_;
  LeNet model_;
  StepOptions options_;
  std::vector<Range> buckets_;
  Range stale_range_;
  std::vector<Replica> replicas_;
  std::unique_ptr<Reducer> reducer_;
  std::unique_ptr<Replay> replay_;  ///< goes first: it holds on to work of the others
};

}  // namespace dpx
