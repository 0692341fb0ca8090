#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// Sharded parameter server on the workers themselves: rank j < servers owns chunk j of `servers`; everyone
/// pushes each chunk to its owner, which sums, then everyone pulls. One server is the star; k servers are
/// `direct`. Steps: 2. Transfers: 2 servers (k-1). Bytes: a server takes in and gives out (k-1)/servers N for
/// its chunk. Errors: Exit::usage when `servers` is not in 1..world_size. Source: chapter, exercise on
/// parameter servers.
std::unique_ptr<Schedule> make_parameter_server(int world_size, int servers);

/// Every rank owns 1/k: the parameter server whose push is a reduce-scatter and whose pull is an all-gather,
/// in one step each. Steps: 2. Transfers: 2k(k-1). Bytes: every rank sends and receives 2(k-1)/k N.
std::unique_ptr<Schedule> make_direct(int world_size);

}  // namespace dpx
