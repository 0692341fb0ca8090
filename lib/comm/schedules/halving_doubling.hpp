#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Recursive halving, then doubling: partners exchange half of what they still share. k must be a power of
/// two. Steps: 2 log2 k. Transfers: 2k log2 k. Bytes: every rank sends and receives 2(k-1)/k N. Errors:
/// Exit::usage for another k. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication
/// operations in MPICH", 2005.
std::unique_ptr<Schedule> make_halving_doubling(int world_size);

}  // namespace dpx
