// Topic overlap: what buckets leave exposed of the communication, and the best bucket.
#include "lib/comm/cost_model/overlap.hpp"

#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

std::string one_algorithm(const ModelOptions& o) {
  const std::vector<std::string> names = o.algorithms();
  if (names.size() != 1 || names[0] == "two-level")
    throw Error(Exit::usage, "--algo: model overlap takes one of the algorithms with a schedule");
  return names[0];
}

void add_case(int k, double bucket, const Overlap& result, bool best, Run& run) {
  Case row;
  row.key = {{"topic", "overlap"}, {"gpus", k}, {"bucket_bytes", json_bytes(bucket)}, {"best", best}};
  row.metrics = {{"buckets", result.buckets},        {"interval_s", result.interval_s},
                 {"bucket_time_s", result.bucket_s}, {"comm_s", result.comm_s},
                 {"exposed_s", result.exposed_s},    {"hidden_share", 1 - result.exposed_s / result.comm_s}};
  run.record.add_case(row);
}

void add_row(int k, double bucket, const Overlap& r, const std::string& note, Table& table) {
  table.row({std::to_string(k), decimal_bytes(bucket), std::to_string(r.buckets),
             format_seconds(r.interval_s), format_seconds(r.bucket_s), format_seconds(r.comm_s),
             format_seconds(r.exposed_s), fmt::format("{:.2f} %", 100 * (1 - r.exposed_s / r.comm_s)), note});
}

}  // namespace

void model_overlap(const ModelOptions& o, Run& run) {
  const AlphaBeta link = o.link();
  const std::string algo = one_algorithm(o);
  const double backward_s = o.number("backward"), bytes = o.gradient_bytes();
  const std::vector<double> grid = bucket_grid(bytes);
  for (const std::int64_t k : o.gpus) {
    if (k < 2) throw Error(Exit::usage, "--gpus: one GPU has nothing to overlap; give 2 or more");
    allreduce_time(algo, int(k), bytes, link);  // refuses a k that the algorithm does not have
  }
  run.out
      << o.source_line()
      << fmt::format(
             "each bucket is reduced ({}: {}) once it is ready and the one before is done; exposed = what "
             "is left after the backward pass\n",
             algo, allreduce_formula(algo))
      << fmt::format("backward {}, N {}, alpha {}, beta {}\n\n", format_seconds(backward_s),
                     decimal_bytes(bytes), format_seconds(link.alpha_s), rate_text(link.beta_Bps));
  Table table(
      {"GPUs", "bucket", "buckets", "one per", "allreduce of one", "of all", "exposed", "hidden", "<"});
  Json sustainable = Json::object();
  for (const std::int64_t gpus : o.gpus) {
    const int k = int(gpus);
    const OverlapModel model{backward_s, bytes,
                             [&](double size) { return allreduce_time(algo, k, size, link).total_s(); }};
    for (const std::int64_t bucket : o.bucket) {
      const Overlap result = overlap(model, double(bucket));
      add_case(k, double(bucket), result, false, run);
      add_row(k, std::min(double(bucket), bytes), result, "", table);
    }
    const BestBucket best = best_bucket(model, grid);
    add_case(k, best.bucket_bytes, best.result, true, run);
    add_row(k, best.bucket_bytes, best.result, "best of the grid", table);
    if (algo == "ring")
      sustainable[std::to_string(k)] = json_or_null(sustainable_bucket_bytes(k, backward_s, bytes, link));
  }
  table.print(run.out);
  run.out << "grid: 1, 2, 5 x 10^n MB, 25 MB and all in one bucket\n";
  for (const auto& [k, size] : sustainable.items())
    run.out
        << (size.is_null()
                ? fmt::format(
                      "{} GPUs: no bucket keeps up, the allreduce's bytes alone outlast the backward pass\n",
                      k)
                : fmt::format("{} GPUs: buckets from {} on keep up with the backward pass\n", k,
                              decimal_bytes(size.get<double>())));
  run.record.verdict()["smallest_bucket_that_keeps_up_bytes"] = sustainable;
  run.record.verdict()["inputs"] = {{"backward_s", backward_s},
                                    {"gradient_bytes", json_bytes(bytes)},
                                    {"alpha_s", link.alpha_s},
                                    {"beta_Bps", link.beta_Bps},
                                    {"algo", algo}};
}

}  // namespace dpx
