#pragma once
// Reducer: sums one buffer per device so that every device holds the total.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/comm/group.hpp"

namespace dpx {

/// Elements per directed link (src, dst).
using LinkElements = std::map<std::pair<int, int>, std::int64_t>;

class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual std::string name() const = 0;
  /// How bytes travel: "streams" (copies and adds of the devices' streams), "shared memory", ...
  virtual std::string transport() const = 0;
  /// Elements carried per directed link (src, dst) since the reducer was made, counted where they are
  /// carried. Read only while the devices are at rest.
  virtual LinkElements elements_carried() const = 0;
  /// In-place sum over the ranks of the run `elements` of each rank's buffer. Shapes: one slice per
  /// rank, all fp32 or all bf16, equal counts; bf16 sums are rounded after every addition. Async: starts at
  /// `ready[r]` on each device's comm stream (a null event: at once) and returns, per rank, the event after
  /// which the result may be read and the buffer written. Every rank ends with identical bits: each element
  /// is summed in one place.
  virtual std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                                       const std::vector<Event>& ready) = 0;
};

/// Collectives of a library, which are reducers beside the schedules: they do not say what they carry.
inline constexpr std::string_view kNccl = "nccl";

/// schedule_names() and the libraries' collectives, in the order of help texts.
const std::vector<std::string>& reducer_names();

/// The same for help texts: describe_schedule_names() and the libraries'.
std::string describe_reducer_names();

/// Whether a backend may know `algorithm` at that world size. Errors: Exit::usage, as make_schedule.
void check_reducer(const std::string& algorithm, int world_size);
/// The part of it that does not depend on the world size.
void check_reducer_name(const std::string& algorithm);

/// A schedule on the group's streams.
/// Errors: Exit::usage for an unknown algorithm, naming the known ones; Exit::unavailable for a library's.
std::unique_ptr<Reducer> make_reducer(const std::string& algorithm, Group& group);

}  // namespace dpx
