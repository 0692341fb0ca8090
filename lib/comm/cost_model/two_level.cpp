#include "lib/comm/cost_model/two_level.hpp"

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {

TwoLevelTime two_level_time(const Cluster& cluster, double bytes) {
  // Reduce-scatter and all-gather inside together are one ring allreduce.
  return {ring_time(cluster.devices_per_node, bytes, cluster.inside),
          ring_time(cluster.nodes, bytes / cluster.devices_per_node, cluster.between)};
}

}  // namespace dpx
