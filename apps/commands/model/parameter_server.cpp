// Topic parameter-server: bytes and times with s servers, on nodes of their own and on the workers.
#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/cost_model/traffic.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

// What --servers gives, or the powers of two up to k and k itself.
std::vector<std::int64_t> server_counts(const ModelOptions& o, int k) {
  if (o.has("servers")) return o.servers;
  std::vector<std::int64_t> counts;
  for (std::int64_t s = 1; s < k; s *= 2) counts.push_back(s);
  counts.push_back(k);
  return counts;
}

}  // namespace

void model_parameter_server(const ModelOptions& o, Run& run) {
  o.require_with("alpha", "beta");
  const double bytes = o.gradient_bytes();
  const bool timed = o.has("beta");
  const AlphaBeta link = timed ? o.link() : AlphaBeta{};
  run.out
      << o.source_line()
      << "a worker sends N and receives N; each of s servers receives kN/s and sends kN/s\n"
         "servers on the workers: every device sends and receives at most (k+s-2)/s N, 2(k-1)/k N at s = k\n"
      << (timed ? "time: servers apart 2 max(k, s)(alpha + N/(s beta)), on the workers 2(k-1)(alpha + N/(s "
                  "beta))\n"
                : "")
      << fmt::format("N {}{}\n\n", decimal_bytes(bytes),
                     timed ? fmt::format(", alpha {}, beta {}", format_seconds(link.alpha_s),
                                         rate_text(link.beta_Bps))
                           : "");
  std::vector<std::string> headers{"workers",         "servers", "worker sends",
                                   "server receives", "<busier", "on workers: sends"};
  if (timed) headers.insert(headers.end(), {"time, apart", "time, on workers"});
  Table table(headers);
  for (const std::int64_t gpus : o.gpus) {
    const int k = int(gpus);
    for (const std::int64_t count : server_counts(o, k)) {
      const int s = int(count);
      const ServerTraffic t = dedicated_server_traffic(k, s, bytes);
      const bool fits = s <= k;
      const double shared =
          fits ? allreduce_traffic("parameter-server:" + std::to_string(s), k, bytes).busiest_sent_bytes : 0;
      Case row;
      row.key = {{"topic", "parameter-server"}, {"gpus", k}, {"servers", s}};
      row.metrics = {{"worker_bytes", json_bytes(t.worker_bytes)},
                     {"server_bytes", json_bytes(t.server_bytes)},
                     {"on_workers_busiest_bytes", fits ? json_bytes(shared) : Json()}};
      std::vector<std::string> cells{std::to_string(k),
                                     std::to_string(s),
                                     decimal_bytes(t.worker_bytes),
                                     decimal_bytes(t.server_bytes),
                                     t.server_bytes > t.worker_bytes   ? "server"
                                     : t.server_bytes < t.worker_bytes ? "worker"
                                                                       : "equal",
                                     fits ? decimal_bytes(shared) : "n/a"};
      if (timed) {
        const double apart_s = dedicated_server_time(k, s, bytes, link).total_s();
        const double shared_s = fits ? worker_server_time(k, s, bytes, link).total_s() : 0;
        row.metrics["time_apart_s"] = apart_s;
        row.metrics["time_on_workers_s"] = fits ? Json(shared_s) : Json();
        cells.push_back(format_seconds(apart_s));
        cells.push_back(fits ? format_seconds(shared_s) : "n/a");
      }
      table.row(cells);
      run.record.add_case(row);
    }
    run.record.verdict()["balanced_servers"][std::to_string(k)] = balanced_servers(k);
  }
  table.print(run.out);
  run.out << "a server's link is no busier than a worker's from s = k servers on\n";
}

}  // namespace dpx
