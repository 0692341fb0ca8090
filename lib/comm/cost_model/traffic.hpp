#pragma once
// What an allreduce moves: messages and bytes in total and at the busiest device.
#include <string>

namespace dpx {

/// Counted over the whole collective. "Busiest" is the device that sends (or receives) most.
struct AllreduceTraffic {
  double messages = 0;
  double total_bytes = 0;
  double busiest_sent_bytes = 0, busiest_received_bytes = 0;
};

/// Traffic of the algorithm `name` (one of schedule_names(), or "parameter-server:S") with N = `bytes` per
/// device. Units: bytes. Errors: Exit::usage as make_schedule. Source: chapter, equation 13.5.1, exercises
/// 5.2 and 11.1.
AllreduceTraffic allreduce_traffic(const std::string& name, int k, double bytes);

/// What each device of a ring sends, and receives: 2(k-1)/k N, below 2N for every k. Units: bytes. Source:
/// chapter, equation 13.5.1.
double ring_bytes_per_device(int k, double bytes);

/// Units: bytes.
struct ServerTraffic {
  double worker_bytes = 0;  ///< sent, and received
  double server_bytes = 0;  ///< received, and sent
};
/// Per node and step, with `servers` nodes that are no workers: every worker sends N and receives N; a
/// server receives kN/s and sends kN/s. Source: chapter, exercise 5.1.
ServerTraffic dedicated_server_traffic(int k, int servers, double bytes);

/// The fewest servers at which a server's link is no busier than a worker's: s = k. Source: chapter,
/// exercise 5.1.
int balanced_servers(int k);

}  // namespace dpx
