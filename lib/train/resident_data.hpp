#pragma once
// ResidentData: a data set on every device of a group, the order in which it is visited, and each example's
// scores.
#include <cstdint>
#include <vector>

#include "lib/comm/group.hpp"
#include "lib/data/dataset.hpp"
#include "lib/train/data_parallel.hpp"

namespace dpx {

/// Totals over the first batches of an epoch; summed in the global order, so they do not depend on the rank
/// count.
struct ScoreTotals {
  std::vector<double> batch_losses;  ///< mean loss per batch
  double loss_sum = 0;
  std::size_t correct = 0, count = 0;
};

class ResidentData {
 public:
  /// `examples` must outlive this object: devices that share the host's memory read it in place.
  ResidentData(Group& group, const Examples& examples, std::size_t batch);
  ~ResidentData() { group_.drain(); }
  ResidentData(const ResidentData&) = delete;
  ResidentData& operator=(const ResidentData&) = delete;

  /// The order of the next epoch: row numbers, one per example. Devices must be at rest.
  void set_order(std::vector<std::int32_t> order);
  std::size_t num_batches() const;
  Range batch(std::size_t index) const;
  /// Every rank's part of batch `index`: near-equal shards, the larger ones first.
  std::vector<RankWork> work(std::size_t index) const;
  /// Reads the scores of batches [0, batches) back. Devices must be at rest.
  ScoreTotals totals(std::size_t batches);

 private:
  struct RankData {
    Buffer images, labels, order, losses, correct;  ///< scores stand at the example's place in the order
  };
  Group& group_;
  const Examples& examples_;
  std::size_t batch_size_;
  std::vector<std::int32_t> order_;
  std::vector<RankData> ranks_;
};

}  // namespace dpx
