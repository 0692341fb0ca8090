#pragma once
#include <memory>

#include "lib/comm/link_model.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {

/// A schedule carried out transfer by transfer by the CPU devices' comm threads, in real time, as if the
/// ranks were joined by `link`: data are copied and added inside the interval that the transfer has on that
/// link (see SimLink), counted from when all ranks are ready. No transfer ends before its time; one that the
/// machine is too slow for ends later, and those that need it shift. Once the run was asked to end (Ctrl-C),
/// sums stay right but nothing is waited for.
std::unique_ptr<Reducer> make_emulated_reducer(std::unique_ptr<Schedule> schedule, const LinkModel& link,
                                               Group& group);

}  // namespace dpx
