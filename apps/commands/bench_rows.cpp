#include "apps/commands/bench_rows.hpp"

#include <fmt/ostream.h>

#include <algorithm>

#include "apps/commands/bench_bounds.hpp"
#include "apps/commands/bench_options.hpp"
#include "apps/commands/emulated_links.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr auto kColumns =
    "{:>10} {:<18} {:<14} {:>10} {:>10} {:>10} {:>7} {:>7} {:>9} {:>8} {:>9} {:>9} {:>6}";

/// `scale` times a metric that may be null, with a format such as "{:.2f}".
std::string shown(const Json& metric, fmt::format_string<double> format, double scale = 1) {
  return metric.is_null() ? "n/a" : fmt::format(format, metric.get<double>() * scale);
}

Json gigabytes_json(const std::optional<double>& rate_Bps) {
  return rate_Bps ? Json(*rate_Bps * 1e-9) : Json(nullptr);
}

std::string microseconds(double seconds) {
  return fmt::format("{:.2f}", seconds * 1e6);
}

}  // namespace

BenchRow make_row(const BenchVariant& v, const std::vector<BenchVariant>& all, int gpus, std::int64_t bytes,
                  const BenchOptions& options) {
  BenchRow row{&v,
               gpus,
               bytes,
               options.dtype,
               summarize(v.fresh_s),
               percentile(v.back_to_back_s, 50),
               percentile(v.one_shot_s, 50),
               {},
               {},
               {},
               options.warmup};
  if (v.reducer == nullptr) return row;
  row.bandwidths = bandwidths(gpus, double(bytes), row.time.median);
  if (const auto link = link_model(options.link)) {
    const std::size_t count = std::size_t(bytes) / size_of(options.buffer_dtype());
    row.link_time_s = link_time_s(v.name, gpus, {{0, count}}, *link, options.wire_bytes());
    row.bound = "link";
    if (gpus > 1) row.of_bound = *row.link_time_s / row.time.median;
  }
  if (const auto share = share_of_bound(all, gpus, bytes, row.time.median)) {
    row.bound = share->bound;
    row.of_bound = share->share;
  }
  return row;
}

Case row_case(const BenchRow& row) {
  const BenchVariant& v = *row.variant;
  Case c;
  const bool bound = v.reducer == nullptr;
  c.key = {{"kind", bound ? "bound" : "allreduce"},
           {"algo", v.name},
           {"gpus", row.gpus},
           {"bytes", row.bytes},
           {"dtype", row.dtype}};
  c.samples_s = v.fresh_s;
  c.metrics = {{"warmup_samples_s", v.warmup_s}};
  if (bound) {
    const double rate_GBps = double(row.bytes) / row.time.median * 1e-9;
    if (v.bytes_each_way_per_byte > 0)
      c.metrics["each_way_GBps"] = v.bytes_each_way_per_byte * rate_GBps;
    else
      c.metrics["traffic_GBps"] = v.bytes_moved_per_byte * row.gpus * rate_GBps;
    return c;
  }
  c.metrics["transport"] = v.reducer->transport();
  c.metrics["algbw_GBps"] = gigabytes_json(row.bandwidths.algbw_Bps);
  c.metrics["busbw_GBps"] = gigabytes_json(row.bandwidths.busbw_Bps);
  c.metrics["effective_GBps"] = gigabytes_json(row.bandwidths.effective_Bps);
  c.metrics[fmt::format("of_{}_bound", row.bound)] = row.of_bound ? Json(*row.of_bound) : Json(nullptr);
  if (row.link_time_s) c.metrics["link_time_s"] = *row.link_time_s;
  c.metrics["back_to_back_s"] = row.back_to_back_s;
  c.metrics["back_to_back_chain"] = v.chain;
  c.metrics["one_shot_s"] = row.one_shot_s;
  if (v.checked) {
    c.metrics["wrong"] = v.wrong;
    c.metrics["ranks_identical"] = v.identical;
    c.metrics["bytes_carried"] = v.counted ? Json(v.carried_bytes) : Json(nullptr);
    c.metrics["bytes_expected"] = v.counted ? Json(v.expected_bytes) : Json(nullptr);
    if (v.wrong > 0) c.status = "failed", c.reason = v.first_wrong;
  }
  return c;
}

void print_bench_head(std::ostream& out) {
  fmt::print(
      out,
      "N bytes per device, time t: algbw = N/t, busbw = N/t 2(k-1)/k, effective = 2N/t, in GB/s = 10^9 B/s\n"
      "t: from the last device's start to the last one's end, buffers freshly written\n"
      "of bound: an in-place update of the same buffers / t; between GPUs 2(k-1)/k of N bytes both ways at "
      "once "
      "/ t;\n          on an emulated link its model / t\n"
      "chain: per operation, enqueued back to back; 1-shot: call to result, from the host\n");
}

void print_group_line(std::ostream& out, int gpus, const Json& environment, const BenchOptions& options) {
  const auto link = link_model(options.link);
  fmt::print(out, "\n{} device(s){}{}\n", gpus,
             environment.value("emulated", false) ? " that share this machine's hardware (emulated)" : "",
             link ? " over emulated links: " + describe(*link) : "");
  fmt::print(out, "{}\n", row_head());
}

namespace {

/// The prediction stands here so that nobody has to look for it: the row below shows what became of it.
void print_duplex_bound(std::ostream& out, const BenchVariant& bound, int gpus, std::int64_t bytes) {
  fmt::print(out, "{:>10} bound, N bytes to and from every device at once: {:.2f} GB/s each way{}\n",
             format_bytes(bytes),
             bound.bytes_each_way_per_byte * double(bytes) / summarize(bound.fresh_s).median * 1e-9,
             gpus == 2 ? "; predicted for star of 256 MiB: at least 90 % of it" : "");
}

}  // namespace

void print_bounds(std::ostream& out, const std::vector<BenchVariant>& variants, int gpus,
                  std::int64_t bytes) {
  std::string text;
  for (const BenchVariant& v : variants)
    if (v.bytes_each_way_per_byte > 0 && bytes > 0) print_duplex_bound(out, v, gpus, bytes);
  for (const BenchVariant& v : variants)
    if (v.bytes_moved_per_byte > 0 && bytes > 0)
      text += fmt::format("{}{} {:.1f} GB/s", text.empty() ? "" : ", ", v.name,
                          v.bytes_moved_per_byte * double(bytes) * gpus / summarize(v.fresh_s).median * 1e-9);
  if (!text.empty())
    fmt::print(out, "{:>10} bounds, memory traffic of all devices: {}\n", format_bytes(bytes), text);
}

std::string row_head() {
  return fmt::format(kColumns, "bytes", "algo", "transport", "t min us", "median", "p95", "algbw", "busbw",
                     "effective", "of bound", "chain us", "1-shot us", "#wrong");
}

std::string row_text(const Case& row) {
  const Json& m = row.metrics;
  const Summary time = summarize(row.samples_s);
  const std::string transport = m.at("transport");  // the model of an emulated link stands above
  Json of_bound;
  for (const auto& [name, value] : m.items())  // whichever bound it has: of_link_bound, ...
    if (name.starts_with("of_") && name.ends_with("_bound")) of_bound = value;
  return fmt::format(kColumns, row.key.at("bytes").get<std::int64_t>(), row.key.at("algo").get<std::string>(),
                     transport.substr(0, transport.find(" (")), microseconds(time.min),
                     microseconds(time.median), microseconds(time.p95), shown(m.at("algbw_GBps"), "{:.2f}"),
                     shown(m.at("busbw_GBps"), "{:.2f}"), shown(m.at("effective_GBps"), "{:.2f}"),
                     shown(of_bound, "{:.0f} %", 100), shown(m.at("back_to_back_s"), "{:.2f}", 1e6),
                     shown(m.at("one_shot_s"), "{:.2f}", 1e6),
                     m.contains("wrong") ? fmt::format("{}", m.at("wrong").get<std::int64_t>()) : "-");
}

}  // namespace dpx
