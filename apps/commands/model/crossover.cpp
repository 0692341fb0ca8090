// Topic crossover: where the tree stops beating the ring, and where latency equals bandwidth.
#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/cost_model/crossover.hpp"
#include "lib/core/units.hpp"

namespace dpx {

void model_crossover(const ModelOptions& o, Run& run) {
  const AlphaBeta link = o.link();
  run.out
      << o.source_line()
      << "ring: 2(k-1)(alpha + N/(k beta)); tree: 2L(alpha + N/beta), L = ceil(log2 k)\n"
         "latency = bandwidth of the ring at N = k alpha beta; tree = ring at N = alpha beta [(k-1) - L] / "
         "[L - (k-1)/k]\n"
      << fmt::format("alpha {}, beta {}\n\n", format_seconds(link.alpha_s), rate_text(link.beta_Bps));
  Table table(
      {"GPUs", "latency = bandwidth at N", "ring time there", "tree = ring at N", "bytes", "time there"});
  for (const std::int64_t gpus : o.gpus) {
    const int k = int(gpus);
    const double balance = latency_equals_bandwidth_bytes(k, link), tree = tree_ring_crossover_bytes(k, link);
    const double balance_s = ring_time(k, balance, link).total_s(),
                 tree_s = ring_time(k, tree, link).total_s();
    table.row({std::to_string(k), decimal_bytes(balance), format_seconds(balance_s),
               tree > 0 ? decimal_bytes(tree) : "never", tree > 0 ? fmt::format("{:.0f}", tree) : "",
               tree > 0 ? format_seconds(tree_s) : ""});
    Case row;
    row.key = {{"topic", "crossover"}, {"gpus", k}};
    row.metrics = {{"latency_equals_bandwidth_bytes", balance},
                   {"time_at_balance_s", balance_s},
                   {"tree_equals_ring_bytes", tree},
                   {"time_at_crossover_s", tree > 0 ? Json(tree_s) : Json()}};
    run.record.add_case(row);
  }
  table.print(run.out);
  run.out << "below \"tree = ring\" the tree is faster, above it the ring\n";
  run.record.verdict()["inputs"] = {{"alpha_s", link.alpha_s}, {"beta_Bps", link.beta_Bps}};
}

}  // namespace dpx
