#include "lib/comm/cost_model/traffic.hpp"

#include "lib/comm/cost_model/alpha_beta.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {

double ring_bytes_per_device(int k, double bytes) {
  return 2.0 * (k - 1) / k * bytes;
}

AllreduceTraffic allreduce_traffic(const std::string& name, int k, double bytes) {
  const int chunks = make_schedule(name, k)->num_chunks();  // of the servers: their number
  const auto [base, pieces] = split_algorithm(name);
  AllreduceTraffic out;
  out.total_bytes = 2.0 * (k - 1) * bytes;
  double busiest = ring_bytes_per_device(k, bytes);
  if (base == "tree") {
    out.messages = 2.0 * (k - 1) * pieces;
    busiest = tree_levels(k) * bytes;
  } else if (name == "halving-doubling") {
    out.messages = 2.0 * k * tree_levels(k);
  } else if (name == "ring") {
    out.messages = 2.0 * k * (k - 1);
  } else if (base == "star") {
    out.messages = 2.0 * (k - 1) * pieces;
    busiest = (k - 1) * bytes;
  } else {  // direct and parameter server: `chunks` servers among the workers
    out.messages = 2.0 * chunks * (k - 1);
    busiest = double(k - 1 + chunks - 1) / chunks * bytes;
  }
  out.busiest_sent_bytes = out.busiest_received_bytes = busiest;
  return out;
}

ServerTraffic dedicated_server_traffic(int k, int servers, double bytes) {
  return {bytes, k * bytes / servers};
}

int balanced_servers(int k) {
  return k;
}

}  // namespace dpx
