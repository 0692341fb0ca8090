#include "lib/comm/cost_model/allreduce_time.hpp"

#include <charconv>
#include <memory>

#include "lib/comm/cost_model/traffic.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {
namespace {

// `count` messages of `each` bytes through one port, one after the other.
CommTime messages_time(double count, double each, AlphaBeta link) {
  return {count * link.alpha_s, count * each / link.beta_Bps};
}

// S of "parameter-server:S", whose form check_schedule_name has approved.
int servers_of(const std::string& name) {
  const std::size_t colon = name.find(':');
  int servers = 1;
  if (colon != std::string::npos)
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), servers);
  return servers;
}

}  // namespace

CommTime star_time(int k, double bytes, AlphaBeta link) {
  return messages_time(2.0 * (k - 1), bytes, link);
}

CommTime ring_time(int k, double bytes, AlphaBeta link) {
  return messages_time(2.0 * (k - 1), bytes / k, link);
}

CommTime tree_time(int k, double bytes, AlphaBeta link) {
  return messages_time(2.0 * tree_levels(k), bytes, link);
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
  if (name == "star") return star_time(k, bytes, link);
  if (name == "ring") return ring_time(k, bytes, link);
  if (name == "tree") return tree_time(k, bytes, link);
  if (name == "halving-doubling") return halving_doubling_time(k, bytes, link);
  if (name == "direct") return direct_time(k, bytes, link);
  return worker_server_time(k, servers_of(name), bytes, link);
}

CommTerms allreduce_terms(const std::string& name, int k, double bytes, int runs, Wiring wiring) {
  const CommTime unit = allreduce_time(name, k, bytes, {1, 1}, wiring);
  return {runs * unit.latency_s, unit.bandwidth_s};
}

std::string allreduce_formula(const std::string& name, Wiring wiring) {
  check_schedule_name(name);
  const bool bus = wiring == Wiring::bus;
  if (name == "star") return "2(k-1)(alpha + N/beta)";
  if (name == "ring" || name == "direct")
    return bus ? "2(k-1)(k alpha + N/beta)" : "2(k-1)(alpha + N/(k beta))";
  if (name == "tree") return bus ? "2(k-1)(alpha + N/beta)" : "2 ceil(log2 k)(alpha + N/beta)";
  if (name == "halving-doubling")
    return bus ? "2k log2(k) alpha + 2(k-1) N/beta" : "2 log2(k) alpha + 2(k-1)/k N/beta";
  return bus ? "2(k-1)(s alpha + N/beta)" : "2(k-1)(alpha + N/(s beta))";
}

}  // namespace dpx
