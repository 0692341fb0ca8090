// Topic allreduce: the lesson's table, for every algorithm.
#include <fmt/format.h>

#include <algorithm>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/cost_model/bandwidth.hpp"
#include "lib/comm/cost_model/traffic.hpp"
#include "lib/comm/cost_model/two_level.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

struct Row {
  std::string algo, reason;  // reason: why there is no time
  int gpus;
  double bytes;
  CommTime time;
  double busiest_sent = 0;
};

constexpr const char* kTwoLevelFormula =
    "2(g-1)(alpha + N/(g beta)) + 2(m-1)(alpha_inter + N/(k beta_inter)), m nodes of g GPUs, k = g m";

AlphaBeta inter_link(const ModelOptions& o) {
  return {o.number_or("alpha-inter", o.link().alpha_s), o.number("beta-inter")};
}

// The link of an algorithm that does not know of nodes: in every step of a ring over several nodes someone
// uses the slow link, and the others wait.
AlphaBeta flat_link(const ModelOptions& o, int k) {
  if (!o.has("beta-inter") || k <= o.ranks_per_node) return o.link();
  return {std::max(o.link().alpha_s, inter_link(o).alpha_s),
          std::min(o.link().beta_Bps, inter_link(o).beta_Bps)};
}

Row two_level_row(const ModelOptions& o, int k, double bytes) {
  const int g = o.ranks_per_node;
  if (k % g != 0)
    throw Error(Exit::usage,
                fmt::format("two-level needs whole nodes of {} GPUs (--ranks-per-node), not {}", g, k));
  const TwoLevelTime t = two_level_time({k / g, g, o.link(), inter_link(o)}, bytes);
  const double sent = ring_bytes_per_device(g, bytes) + ring_bytes_per_device(k / g, bytes / g);
  return {"two-level",
          "",
          k,
          bytes,
          {t.inside.latency_s + t.between.latency_s, t.inside.bandwidth_s + t.between.bandwidth_s},
          sent};
}

// Errors: Exit::usage for options that do not go together.
void check_levels(const ModelOptions& o) {
  o.require_with("alpha-inter", "beta-inter");
  o.require_with("ranks-per-node", "beta-inter");
  for (const std::string& algo : o.algorithms()) {
    if (algo == "two-level") o.number("beta-inter");  // refuses when it is missing
    if (algo == "two-level" && (o.tensors > 1 || o.duplex == "bus"))
      throw Error(Exit::usage, "--algo two-level: takes neither --tensors nor --duplex bus");
    if (algo != "two-level" && algo != "ring" && o.has("beta-inter"))
      throw Error(Exit::usage, fmt::format("--beta-inter: of the algorithms only ring and two-level are "
                                           "modelled on two levels of links, not {}",
                                           algo));
  }
}

// The row of one case; where the algorithm has no such world size, with the reason instead of a time.
Row make_row(const ModelOptions& o, const std::string& algo, int k, double bytes) {
  try {
    if (algo == "two-level") return two_level_row(o, k, bytes);
    const double each = bytes / o.tensors;
    const CommTime t =
        allreduce_time(algo, k, each, flat_link(o, k), o.duplex == "bus" ? Wiring::bus : Wiring::full_duplex);
    return {algo,
            "",
            k,
            bytes,
            {o.tensors * t.latency_s, o.tensors * t.bandwidth_s},
            allreduce_traffic(algo, k, bytes).busiest_sent_bytes};
  } catch (const Error& e) {
    if (e.code() != Exit::usage) throw;
    return {algo, e.what(), k, bytes, {}};
  }
}

void add_case(const Row& row, Run& run) {
  Case out;
  out.key = {
      {"topic", "allreduce"}, {"algo", row.algo}, {"gpus", row.gpus}, {"bytes", json_bytes(row.bytes)}};
  if (!row.reason.empty()) {
    out.status = "skipped";
    out.reason = row.reason;
  } else {
    const Bandwidths b = bandwidths(row.gpus, row.bytes, row.time.total_s());
    out.metrics = {{"time_s", row.time.total_s()},
                   {"latency_s", row.time.latency_s},
                   {"bandwidth_s", row.time.bandwidth_s},
                   {"latency_share", row.time.latency_share()},
                   {"algbw_GBps", json_GBps(b.algbw_Bps)},
                   {"busbw_GBps", json_GBps(b.busbw_Bps)},
                   {"effective_GBps", json_GBps(b.effective_Bps)},
                   {"busiest_sent_bytes", json_bytes(row.busiest_sent)}};
  }
  run.record.add_case(out);
}

void print_table(const std::vector<Row>& rows, Run& run) {
  double largest_s = 0;
  for (const Row& row : rows) largest_s = std::max(largest_s, row.time.total_s());
  const TimeUnit unit(largest_s);
  Table table({"<algorithm", "GPUs", "N", unit.header("latency"), unit.header("bytes"), unit.header("time"),
               "latency", "algbw GB/s", "busbw GB/s", "effective GB/s", "sent by busiest"});
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.algo, std::to_string(row.gpus), decimal_bytes(row.bytes)};
    if (row.reason.empty()) {
      const Bandwidths b = bandwidths(row.gpus, row.bytes, row.time.total_s());
      for (const double t : {row.time.latency_s, row.time.bandwidth_s, row.time.total_s()})
        cells.push_back(unit.cell(t));
      for (const std::string& cell :
           {percent(row.time.latency_share()), in_GBps(b.algbw_Bps), in_GBps(b.busbw_Bps),
            in_GBps(b.effective_Bps), decimal_bytes(row.busiest_sent)})
        cells.push_back(cell);
    } else {
      cells.resize(11, "n/a");
    }
    table.row(cells);
  }
  table.print(run.out);
  for (const Row& row : rows)
    if (!row.reason.empty()) run.out << "n/a: " << row.reason << '\n';
}

// What going from the first to the last k adds, and which term adds it.
void print_growth(const std::vector<Row>& rows, Run& run) {
  const Row &first = rows.front(), &last = rows.back();
  const bool one_series = std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.algo == first.algo && row.bytes == first.bytes && row.reason.empty();
  });
  const double added_s = last.time.total_s() - first.time.total_s();
  if (!one_series || first.gpus < 2 || last.gpus <= first.gpus || added_s <= 0) return;
  const double latency_s = last.time.latency_s - first.time.latency_s;
  run.out << fmt::format("{} -> {} GPUs: +{} ({:+.1f} %), of which latency {}, bytes {}\n", first.gpus,
                         last.gpus, format_seconds(added_s), 100 * added_s / first.time.total_s(),
                         percent(latency_s / added_s), percent(1 - latency_s / added_s));
  run.record.verdict()["growth"] = {{"from_gpus", first.gpus},
                                    {"to_gpus", last.gpus},
                                    {"added_s", added_s},
                                    {"added_share", added_s / first.time.total_s()},
                                    {"latency_share_of_added", latency_s / added_s}};
}

}  // namespace

void model_allreduce(const ModelOptions& o, Run& run) {
  const AlphaBeta link = o.link();
  check_levels(o);
  std::vector<Row> rows;
  for (const std::string& algo : o.algorithms())
    for (const double bytes : o.gradient_sizes())
      for (const std::int64_t k : o.gpus) rows.push_back(make_row(o, algo, int(k), bytes));
  if (std::all_of(rows.begin(), rows.end(), [](const Row& row) { return !row.reason.empty(); }))
    throw Error(Exit::usage, rows[0].reason);
  run.out << o.source_line();
  for (const std::string& algo : o.algorithms()) {
    const std::string formula =
        algo == "two-level" ? kTwoLevelFormula
                            : allreduce_formula(algo, o.duplex == "bus" ? Wiring::bus : Wiring::full_duplex);
    run.out << fmt::format("{}: t = {}{}{}\n", algo, o.tensors > 1 ? fmt::format("{} x ", o.tensors) : "",
                           formula, o.tensors > 1 ? fmt::format(" with N/{}", o.tensors) : "");
  }
  run.out << fmt::format("alpha {}, beta {}, {}\n", format_seconds(link.alpha_s), rate_text(link.beta_Bps),
                         o.duplex == "bus" ? "one transfer at a time" : "all links at once, both ways");
  if (o.duplex == "full" && std::any_of(rows.begin(), rows.end(), [](const Row& row) {
        return row.algo.starts_with("parameter-server");
      }))
    run.out << "parameter-server: the least that the ports allow; waiting for the other end comes on "
               "top\n";
  if (o.has("beta-inter"))
    run.out << fmt::format(
        "between nodes of {}: alpha {}, beta {}; a ring over several nodes runs at the slower link\n",
        o.ranks_per_node, format_seconds(inter_link(o).alpha_s), rate_text(inter_link(o).beta_Bps));
  run.out << '\n';
  for (const Row& row : rows) add_case(row, run);
  print_table(rows, run);
  run.record.verdict()["inputs"] = {{"alpha_s", link.alpha_s}, {"beta_Bps", link.beta_Bps}};
  print_growth(rows, run);
}

}  // namespace dpx
