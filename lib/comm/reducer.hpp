#pragma once
// Reducer: sums one buffer per device so that every device holds the total.
#include <memory>
#include <string>
#include <vector>

#include "lib/comm/group.hpp"

namespace dpx {

class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual std::string name() const = 0;
  /// In-place sum over the ranks of the run `elements` of each rank's buffer. Shapes: one fp32 slice per
  /// rank, equal counts. Async: starts at `ready[r]` on each device's comm stream (a null event: at once) and
  /// returns, per rank, the event after which the result may be read and the buffer written. Every rank ends
  /// with identical bits: each element is summed in one place.
  virtual std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                                       const std::vector<Event>& ready) = 0;
};

/// Errors: Exit::usage for an unknown algorithm, naming the known ones.
std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group);

}  // namespace dpx
