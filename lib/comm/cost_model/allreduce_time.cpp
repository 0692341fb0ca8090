#include "lib/comm/cost_model/allreduce_time.hpp"

#include <algorithm>

#include "lib/comm/cost_model/traffic.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {
namespace {

// `count` messages of `each` bytes through one port, one after the other.
CommTime messages_time(double count, double each, AlphaBeta link) {
  return {count * link.alpha_s, count * each / link.beta_Bps};
}

}  // namespace

CommTime star_time(int k, double bytes, AlphaBeta link) {
  return pipelined_star_time(k, 1, bytes, link);
}

CommTime pipelined_star_time(int k, int pieces, double bytes, AlphaBeta link) {
  return messages_time((pieces + 1.0) * (k - 1), bytes / pieces, link);
}

CommTime ring_time(int k, double bytes, AlphaBeta link) {
  return messages_time(2.0 * (k - 1), bytes / k, link);
}

CommTime tree_time(int k, double bytes, AlphaBeta link) {
  return pipelined_tree_time(k, 1, bytes, link);
}

CommTime pipelined_tree_time(int k, int pieces, double bytes, AlphaBeta link) {
  const int levels = tree_levels(k);
  // Pieces that the root takes in, and gives out, at step s; it does both at once.
  const auto in_flight = [&](int s) {
    return std::max(0, std::min(s, pieces - 1) - std::max(0, s - levels + 1) + 1);
  };
  double messages = 0;
  for (int s = 0; levels > 0 && s < 2 * levels + pieces - 1; ++s)
    messages += std::max(in_flight(s), in_flight(s - levels));
  return messages_time(messages, bytes / pieces, link);
}

CommTime halving_doubling_time(int k, double bytes, AlphaBeta link) {
  return {2.0 * tree_levels(k) * link.alpha_s, ring_time(k, bytes, link).bandwidth_s};
}

CommTime direct_time(int k, double bytes, AlphaBeta link) {
  return worker_server_time(k, k, bytes, link);
}

CommTime worker_server_time(int k, int servers, double bytes, AlphaBeta link) {
  return messages_time(2.0 * (k - 1), bytes / servers, link);
}

CommTime dedicated_server_time(int k, int servers, double bytes, AlphaBeta link) {
  return messages_time(2.0 * (k > servers ? k : servers), bytes / servers, link);
}

CommTime allreduce_time(const std::string& name, int k, double bytes, AlphaBeta link, Wiring wiring) {
  make_schedule(name, k);  // refuses what does not exist
  if (wiring == Wiring::bus) {
    const AllreduceTraffic traffic = allreduce_traffic(name, k, bytes);
    return {traffic.messages * link.alpha_s, traffic.total_bytes / link.beta_Bps};
  }
  const auto [base, number] = split_algorithm(name);
  if (base == "star") return pipelined_star_time(k, number, bytes, link);
  if (base == "ring") return ring_time(k, bytes, link);
  if (base == "tree") return pipelined_tree_time(k, number, bytes, link);
  if (name == "halving-doubling") return halving_doubling_time(k, bytes, link);
  if (name == "direct") return direct_time(k, bytes, link);
  return worker_server_time(k, number, bytes, link);
}

CommTerms allreduce_terms(const std::string& name, int k, double bytes, int runs, Wiring wiring) {
  const CommTime unit = allreduce_time(name, k, bytes, {1, 1}, wiring);
  return {runs * unit.latency_s, unit.bandwidth_s};
}

std::string allreduce_formula(const std::string& name, Wiring wiring) {
  check_schedule_name(name);
  const bool bus = wiring == Wiring::bus;
  const auto [base, pieces] = split_algorithm(name);
  if (is_pipelined(name)) {
    if (bus) return "2(k-1)(P alpha + N/beta)";
    return base == "star" ? "(P+1)(k-1)(alpha + N/(P beta))"
                          : "L(P+L)(alpha + N/(P beta)), L = ceil(log2 k), P >= 2L-1";
  }
  if (name == "star") return "2(k-1)(alpha + N/beta)";
  if (name == "ring" || name == "direct")
    return bus ? "2(k-1)(k alpha + N/beta)" : "2(k-1)(alpha + N/(k beta))";
  if (name == "tree") return bus ? "2(k-1)(alpha + N/beta)" : "2 ceil(log2 k)(alpha + N/beta)";
  if (name == "halving-doubling")
    return bus ? "2k log2(k) alpha + 2(k-1) N/beta" : "2 log2(k) alpha + 2(k-1)/k N/beta";
  return bus ? "2(k-1)(s alpha + N/beta)" : "2(k-1)(alpha + N/(s beta))";
}

}  // namespace dpx
