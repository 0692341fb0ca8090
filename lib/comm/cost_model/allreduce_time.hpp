#pragma once
// Closed-form times of the allreduce algorithms, for any k >= 1; k = 1 takes no time.
#include <string>

#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// Star: the hub's port takes in k-1 whole buffers one after the other, then gives out as many:
/// 2(k-1)(alpha + N/beta). Units: bytes, seconds. Source: chapter, exercises 4.3 and 11.1.
CommTime star_time(int k, double bytes, AlphaBeta link);

/// Star in `pieces` pieces: the hub takes in one while it gives out the one before:
/// (pieces+1)(k-1)(alpha + N/(pieces beta)). Units: bytes, seconds. Source: the star above, pipelined.
CommTime pipelined_star_time(int k, int pieces, double bytes, AlphaBeta link);

/// Ring: 2(k-1)(alpha + N/(k beta)). Units: bytes, seconds. Source: chapter, exercise 4.1; lesson, "The
/// ring".
CommTime ring_time(int k, double bytes, AlphaBeta link);

/// Binomial tree: 2 ceil(log2 k) (alpha + N/beta). Units: bytes, seconds. Source: chapter, exercise 4.2;
/// lesson, "Try it" 2.
CommTime tree_time(int k, double bytes, AlphaBeta link);

/// Tree of L = ceil(log2 k) levels in P = `pieces` pieces, of which the root takes in up to L at a step and
/// gives out as many: L(P+L)(alpha + N/(P beta)) from P = 2L-1 on; 1 piece is the tree. Units: bytes,
/// seconds. Source: the tree above, pipelined.
CommTime pipelined_tree_time(int k, int pieces, double bytes, AlphaBeta link);

/// Recursive halving and doubling: 2 log2(k) alpha + 2(k-1)/k N/beta; k a power of two. Units: bytes,
/// seconds. Source: Thakur, Rabenseifner, Gropp 2005, section 4.4, without the cost of the additions.
CommTime halving_doubling_time(int k, double bytes, AlphaBeta link);

/// Direct: every port sends k-1 chunks of N/k to their owners, then k-1 summed ones: the ring's time, as a
/// port sends one message at a time. The least that the ports allow: an order that makes one wait for the
/// other end takes longer. Units: bytes, seconds. Source: chapter, exercise 5.2.
CommTime direct_time(int k, double bytes, AlphaBeta link);

/// Parameter server with `servers` of the k workers as servers: 2(k-1)(alpha + N/(servers beta)); 1 is the
/// star, k is direct, and as there the least that the ports allow. Units: bytes, seconds. Source: chapter,
/// exercise 5.2.
CommTime worker_server_time(int k, int servers, double bytes, AlphaBeta link);

/// Parameter server with `servers` nodes of their own: 2 max(k, servers)(alpha + N/(servers beta)), the
/// busier of a worker's and a server's port. Units: bytes, seconds. Source: chapter, exercise 5.1.
CommTime dedicated_server_time(int k, int servers, double bytes, AlphaBeta link);

/// Time of the algorithm `name` (one of schedule_names(), or with a number, "parameter-server:S", "star:P");
/// on a bus its number of messages times alpha plus its total bytes over beta. Units: bytes, seconds. Errors:
/// Exit::usage as make_schedule. Source: as above; chapter, exercise 11.1 for the bus.
CommTime allreduce_time(const std::string& name, int k, double bytes, AlphaBeta link,
                        Wiring wiring = Wiring::full_duplex);

/// What the time is made of: t = starts alpha + path_bytes / beta, for a fit of alpha and beta.
struct CommTerms {
  double starts = 0, path_bytes = 0;
  CommTime time(AlphaBeta link) const { return {starts * link.alpha_s, path_bytes / link.beta_Bps}; }
};

/// The terms of `runs` allreduces, one after the other, of `bytes` in all. Units: bytes. Errors, Source: as
/// allreduce_time.
CommTerms allreduce_terms(const std::string& name, int k, double bytes, int runs = 1,
                          Wiring wiring = Wiring::full_duplex);

/// The formula that allreduce_time evaluates, for people: "2(k-1)(alpha + N/(k beta))". Errors: Exit::usage.
std::string allreduce_formula(const std::string& name, Wiring wiring = Wiring::full_duplex);

}  // namespace dpx
