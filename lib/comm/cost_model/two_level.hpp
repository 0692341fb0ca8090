#pragma once
// Allreduce over nodes with fast links inside and slow links between them.
#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// A cluster of equal nodes; every device has a link of its own to the other nodes.
struct Cluster {
  int nodes = 1, devices_per_node = 1;
  AlphaBeta inside, between;
};

struct TwoLevelTime {
  CommTime inside, between;
  double total_s() const { return inside.total_s() + between.total_s(); }
};

/// Ring reduce-scatter inside each node, ring allreduce of every device's 1/g between the m nodes, ring
/// all-gather inside: 2(g-1)(alpha_in + N/(g beta_in)) + 2(m-1)(alpha_out + N/(g m beta_out)).
/// Units: bytes, seconds. Source: lesson, "Hierarchy", with the ring formula on both levels.
TwoLevelTime two_level_time(const Cluster& cluster, double bytes);

}  // namespace dpx
