#pragma once
// Closed forms of what each rank sends, exact for every number of elements.
#include <cstdint>
#include <string_view>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Elements that `rank` sends during one allreduce of `count` elements, from the algorithm's formula and not
/// from its steps. Errors: Exit::internal for an algorithm without one.
std::int64_t elements_sent(const Schedule& schedule, std::size_t count, int rank);

/// What the busiest rank sends when the chunks are equal: "2(k-1)/k N".
std::string_view busiest_formula(const Schedule& schedule);

}  // namespace dpx
