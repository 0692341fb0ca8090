#pragma once
// LinkModel: what a message costs between two ranks, in the alpha-beta model with ports that can be busy.
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// Which transfers of a rank can run at the same time.
enum class Duplex {
  full,  ///< one send port and one receive port per rank, independent of each other
  half,  ///< one port per rank: sending and receiving take turns
  bus    ///< one medium for all ranks: one transfer at a time
};
std::string_view name_of(Duplex duplex);

/// A message of n bytes takes alpha + n/beta. Units: bytes, seconds.
inline double transfer_time_s(AlphaBeta link, std::int64_t bytes) {
  return link.alpha_s + double(bytes) / link.beta_Bps;
}

/// One level of links (ranks_per_node = 0), or fast links inside nodes and slow ones between them. Ports to
/// the inside and to the outside of a node work at the same time; the duplex mode holds for both, and a bus
/// is one medium inside each node and one between all nodes.
struct LinkModel {
  AlphaBeta inside;
  Duplex duplex = Duplex::full;
  int ranks_per_node = 0;
  AlphaBeta between = {};         ///< between nodes; unused at one level
  bool one_nic_per_node = false;  ///< the outside ports belong to the node, not to each rank

  bool two_level() const { return ranks_per_node > 0; }
  int node_of(int rank) const { return two_level() ? rank / ranks_per_node : 0; }
};

/// The keys, for help texts and refusals.
inline constexpr std::string_view kLinkSyntax =
    "alpha=5us,beta=50GB/s[,duplex=full|half|bus][,ranks-per-node=8,beta-inter=25GB/s,alpha-inter=10us,"
    "nic=rank|node]";

/// Reads kLinkSyntax; beta is required, alpha is 0 and alpha-inter is alpha where not given, one NIC per
/// rank. Errors: Exit::usage naming the key, the value and what is allowed: unknown, repeated or missing key,
/// value refused, a key of the second level without ranks-per-node.
LinkModel parse_link_model(std::string_view text);

/// The model on one line, in the units of people: "alpha 5.00 us, beta 450 GB/s, full duplex".
std::string describe(const LinkModel& model);

}  // namespace dpx
