#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Star: everyone sends everything to rank 0, which sums and sends everything back.
/// Steps: 2. Transfers: 2(k-1). Bytes: the hub takes in (k-1)N and gives out (k-1)N.
/// Source: chapter, "Data parallelism by hand"; equation of the star's cost.
std::unique_ptr<Schedule> make_star(int world_size);

}  // namespace dpx
