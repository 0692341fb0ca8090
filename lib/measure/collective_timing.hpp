#pragma once
// Times of operations that all devices of a group take part in, measured in three ways that answer different
// questions.
#include <functional>
#include <vector>

#include "lib/comm/group.hpp"

namespace dpx {

/// Enqueues one operation on every device, to start at ready[r] (null: at once); returns the events of its
/// end.
using CollectiveOperation = std::function<std::vector<Event>(const std::vector<Event>& ready)>;

/// The same bytes as fp32, to fill or stream any dtype; the last bf16 of an odd count is left out.
inline Slice as_fp32(Slice slice) {
  return {slice.data, slice.bytes() / sizeof(float), DType::f32};
}

class CollectiveTimer {
 public:
  /// `slices`: one fp32 or bf16 buffer per rank, on which all operations work.
  CollectiveTimer(Group& group, const std::vector<Slice>& slices) : group_(group), slices_(slices) {}

  /// Each sample: every rank rewrites its own buffer (with zeros, so that repeated sums never grow), all wait
  /// for one another, then the time from the last rank's start to the last rank's end, by the devices'
  /// clocks. Enqueueing is not part of it. Units: seconds.
  std::vector<double> fresh_s(const CollectiveOperation& operation, int samples);
  /// Seconds per operation when `count` of them are enqueued one behind the other, enqueueing included.
  double back_to_back_s(const CollectiveOperation& operation, int count);
  /// Seconds from the call until the host sees the end of a single operation.
  double one_shot_s(const CollectiveOperation& operation);

 private:
  Event all_wait_for_all(int rank, const std::vector<Event>& events);
  void finish_comm();
  Group& group_;
  const std::vector<Slice>& slices_;
};

}  // namespace dpx
