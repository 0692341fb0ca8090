#pragma once
#include <memory>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// `inner` on `pieces` equal pieces of the buffer, each a step behind the one before it: while the hub of a
/// star still takes in one piece it gives out the last, so both directions of its link are busy. It pays
/// where the steps of `inner` use one direction at a time: star and tree. Steps: S + P - 1 for the S of
/// `inner`. Transfers: P times its own. Bytes: its own. Star on full-duplex links: (P+1)(k-1)(alpha + N/(P
/// beta)), half the star's 2(k-1)N/beta for large P. Source: chapter, exercises on the star's cost; NCCL and
/// MPI pipeline trees in this way.
std::unique_ptr<Schedule> make_pipelined(std::unique_ptr<Schedule> inner, int pieces);

}  // namespace dpx
