#pragma once
#include <memory>

#include "lib/comm/reducer.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {

/// A schedule carried out by the CPU devices' comm threads on each other's memory: compiled once per run of
/// elements, then one piece of work per rank and allreduce, with spinning instead of events between the
/// steps.
std::unique_ptr<Reducer> make_shared_reducer(std::unique_ptr<Schedule> schedule, Group& group);

}  // namespace dpx
