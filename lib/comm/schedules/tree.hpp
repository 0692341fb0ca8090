#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Binomial tree: ranks combine pairwise towards rank 0, then the total runs back along the same edges. Any
/// k. Steps: 2 ceil(log2 k). Transfers: 2(k-1), each of N. Bytes: rank 0 takes in and gives out ceil(log2 k)
/// N. Source: lesson, "tree" in its exercises: 2 log2 k (alpha + N/beta).
std::unique_ptr<Schedule> make_tree(int world_size);

}  // namespace dpx
