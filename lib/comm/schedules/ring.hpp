#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Ring: reduce-scatter, then all-gather, each rank only ever sending one chunk of N/k to its right-hand
/// neighbour. Steps: 2(k-1). Transfers: 2k(k-1). Bytes: every rank sends and receives 2(k-1)/k N. Source:
/// chapter, "Ring allreduce" and its figure; lesson's ring.
std::unique_ptr<Schedule> make_ring(int world_size);

}  // namespace dpx
