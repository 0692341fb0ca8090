// Topic bandwidth: algbw, busbw and effective bandwidth converted into each other.
#include "lib/comm/cost_model/bandwidth.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/nccl_tests_file.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr const char* kHead =
    "algbw = N/t, busbw = N/t 2(k-1)/k, effective = 2N/t; not applicable to one GPU; GB/s = 10^9 bytes/s\n\n";

Json metrics_of(const Bandwidths& b, std::optional<double> time_s) {
  return {{"time_s", json_or_null(time_s)},
          {"algbw_GBps", json_GBps(b.algbw_Bps)},
          {"busbw_GBps", json_GBps(b.busbw_Bps)},
          {"effective_GBps", json_GBps(b.effective_Bps)}};
}

std::string time_cell(std::optional<double> time_s) {
  return time_s ? fmt::format("{:.4g}", *time_s * 1e3) : "n/a";
}

void from_file(const ModelOptions& o, Run& run) {
  for (const char* flag : {"bytes", "time", "algbw", "busbw", "effective"})
    if (o.has(flag))
      throw Error(Exit::usage, fmt::format("--{}: --nccl-tests already gives the measurements", flag));
  const NcclTestsFile file = read_nccl_tests(o.nccl_tests);
  if (o.has("gpus") && o.gpus.size() != 1)
    throw Error(Exit::usage, "--gpus: --nccl-tests takes one number of GPUs");
  const int k = o.has("gpus") ? int(o.gpus[0]) : file.gpus;
  run.out << fmt::format("{}: {} GPUs{}\n", o.nccl_tests, k, o.has("gpus") ? " (as given)" : "") << kHead;
  Table table({"N (bytes)", "<place", "time (ms)", "algbw GB/s", "busbw GB/s", "effective GB/s",
               "busbw in file", "wrong"});
  bool differs = false;
  double wrong = 0;
  for (const NcclTestsRow& row : file.rows) {
    const Bandwidths b = bandwidths(k, row.bytes, row.time_s);
    // The file rounds times to 1e-6 us but bandwidths to 1e-6 GB/s.
    if (b.busbw_Bps && row.busbw_Bps && std::abs(*b.busbw_Bps - *row.busbw_Bps) > 0.01 * *b.busbw_Bps + 1e4)
      differs = true;
    wrong += row.wrong.value_or(0);
    table.row({fmt::format("{:.0f}", row.bytes), row.in_place ? "in" : "out", time_cell(row.time_s),
               in_GBps(b.algbw_Bps), in_GBps(b.busbw_Bps), in_GBps(b.effective_Bps),
               k > 1 ? in_GBps(row.busbw_Bps) : "n/a", row.wrong ? four_digits(*row.wrong) : "n/a"});
    Case out;
    out.key = {
        {"topic", "bandwidth"}, {"gpus", k}, {"bytes", json_bytes(row.bytes)}, {"in_place", row.in_place}};
    out.metrics = metrics_of(b, row.time_s);
    out.metrics["wrong"] = json_or_null(row.wrong);
    run.record.add_case(out);
  }
  table.print(run.out);
  if (wrong > 0)
    run.out << fmt::format("{} wrong elements: these are the speeds of a wrong result\n", four_digits(wrong));
  if (differs)
    run.out << fmt::format(
        "the file's busbw is not that of {} GPUs; if the number of ranks is another, give --gpus\n", k);
  run.record.verdict()["busbw_agrees_with_file"] = !differs;
}

struct Given {
  const char* flag;
  Convention convention;
};
constexpr Given kGiven[] = {
    {"algbw", Convention::algbw}, {"busbw", Convention::busbw}, {"effective", Convention::effective}};

// The one measurement that was given, as --time or as a bandwidth.
std::string given_measurement(const ModelOptions& o) {
  std::string found;
  for (const char* flag : {"time", "algbw", "busbw", "effective"})
    if (o.has(flag)) {
      if (!found.empty())
        throw Error(Exit::usage,
                    fmt::format("--{} and --{} both give the speed; one is allowed", found, flag));
      found = flag;
    }
  if (found.empty() || !o.has("gpus"))
    throw Error(Exit::usage,
                "model bandwidth needs --gpus and one of --time, --algbw, --busbw, --effective, or "
                "--nccl-tests; example: dpx model bandwidth --gpus 8 --busbw 400GB/s --bytes 1GB");
  return found;
}

}  // namespace

void model_bandwidth(const ModelOptions& o, Run& run) {
  if (o.has("nccl-tests")) return from_file(o, run);
  const std::string given = given_measurement(o);
  const bool sized = o.has("bytes");
  if (given == "time" && !sized) throw Error(Exit::usage, "--time: needs --bytes, the N that it took");
  if (given == "time" && o.number("time") <= 0) throw Error(Exit::usage, "--time: must be above 0");
  const double bytes = sized ? o.gradient_bytes() : 0;
  run.out << kHead;
  Table table({"GPUs", "N", "time (ms)", "algbw GB/s", "busbw GB/s", "effective GB/s",
               "busbw as beta: 2N/beta (ms)", "error"});
  for (const std::int64_t gpus : o.gpus) {
    const int k = int(gpus);
    std::optional<double> time_s;
    Bandwidths b;
    if (given == "time") {
      time_s = o.number("time");
      b = bandwidths(k, bytes, *time_s);
    }
    for (const Given& candidate : kGiven)
      if (given == candidate.flag) {
        b = convert_bandwidth(k, candidate.convention, o.number(given));
        if (sized) time_s = allreduce_time_s(k, bytes, candidate.convention, o.number(given));
      }
    const std::optional<double> naive_s =
        sized && b.busbw_Bps ? std::optional(2 * bytes / *b.busbw_Bps) : std::nullopt;
    const std::optional<double> error = busbw_as_beta_error(k);
    table.row({std::to_string(k), sized ? decimal_bytes(bytes) : "n/a", time_cell(time_s),
               in_GBps(b.algbw_Bps), in_GBps(b.busbw_Bps), in_GBps(b.effective_Bps), time_cell(naive_s),
               error ? fmt::format("{:+.1f} %", 100 * *error) : "n/a"});
    Case row;
    row.key = {{"topic", "bandwidth"}, {"gpus", k}, {"bytes", sized ? json_bytes(bytes) : Json()}};
    row.metrics = metrics_of(b, time_s);
    row.metrics["busbw_as_beta_time_s"] = json_or_null(naive_s);
    row.metrics["busbw_as_beta_error"] = json_or_null(error);
    run.record.add_case(row);
  }
  table.print(run.out);
}

}  // namespace dpx
