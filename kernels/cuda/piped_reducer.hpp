#pragma once
#include <memory>

#include "lib/comm/reducer.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx::cuda {

/// A schedule carried out on CUDA devices piece by piece, three pieces under way at a time: while one piece
/// comes back from a rank, the next ones go there, so both directions of a link are busy. Each element is
/// summed in the schedule's order.
std::unique_ptr<Reducer> make_piped_reducer(std::unique_ptr<Schedule> schedule, Group& group);

}  // namespace dpx::cuda
