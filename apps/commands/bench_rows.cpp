#include "apps/commands/bench_rows.hpp"

#include <fmt/ostream.h>

#include <algorithm>

#include "apps/commands/bench_options.hpp"
#include "apps/commands/emulated_links.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr const char* kInPlace = "in-place update";
constexpr auto kColumns =
    "{:>10} {:<18} {:<14} {:>10} {:>10} {:>10} {:>7} {:>7} {:>9} {:>8} {:>9} {:>9} {:>6}";

/// `pass` on every rank's comm stream, then an event.
CollectiveOperation on_every_rank(Group& group, std::function<void(Stream&, int rank)> pass) {
  return [&group, pass = std::move(pass)](const std::vector<Event>& ready) {
    std::vector<Event> done;
    for (int rank = 0; rank < group.size(); ++rank) {
      Stream& stream = group.device(rank).comm();
      stream.wait(ready[std::size_t(rank)]);
      pass(stream, rank);
      done.push_back(stream.record());
    }
    return done;
  };
}

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

std::vector<BenchVariant> bound_variants(Group& group, const std::vector<Slice>& slices) {
  const auto half = [&slices](int rank, int which) {
    const Slice whole = as_fp32(slices[std::size_t(rank)]);
    const std::size_t count = whole.count / 2;
    return whole.sub({std::size_t(which) * count, count});
  };
  std::vector<BenchVariant> bounds(3);
  bounds[0].name = kInPlace;  // k buffers read and written once: what `direct` must move, too
  bounds[0].bytes_moved_per_byte = 2;
  bounds[0].operation = on_every_rank(
      group, [&slices](Stream& stream, int rank) { stream.scale(as_fp32(slices[std::size_t(rank)]), 0.0f); });
  bounds[1].name = "copy";
  bounds[1].bytes_moved_per_byte = 1;  // half a buffer read, half written
  bounds[1].operation =
      on_every_rank(group, [half](Stream& stream, int rank) { stream.copy(half(rank, 1), half(rank, 0)); });
  bounds[2].name = "add";
  bounds[2].bytes_moved_per_byte = 1.5;
  bounds[2].operation =
      on_every_rank(group, [half](Stream& stream, int rank) { stream.add(half(rank, 1), half(rank, 0)); });
  return bounds;
}

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
    if (gpus > 1) row.of_bound = *row.link_time_s / row.time.median;
  }
  for (const BenchVariant& bound : all)
    if (bound.name == kInPlace && gpus > 1 && bytes > 0)
      row.of_bound = summarize(bound.fresh_s).median / row.time.median;
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
    c.metrics["traffic_GBps"] =
        v.bytes_moved_per_byte * double(row.bytes) * row.gpus / row.time.median * 1e-9;
    return c;
  }
  c.metrics["transport"] = v.reducer->transport();
  c.metrics["algbw_GBps"] = gigabytes_json(row.bandwidths.algbw_Bps);
  c.metrics["busbw_GBps"] = gigabytes_json(row.bandwidths.busbw_Bps);
  c.metrics["effective_GBps"] = gigabytes_json(row.bandwidths.effective_Bps);
  c.metrics[row.link_time_s ? "of_link_bound" : "of_in_place_bound"] =
      row.of_bound ? Json(*row.of_bound) : Json(nullptr);
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
      "of bound: in-place update of the same buffers / t; on an emulated link its model / t\n"
      "chain: per operation, enqueued back to back; 1-shot: call to result, from the host\n");
}

void print_group_line(std::ostream& out, int gpus, const Json& environment, const BenchOptions& options) {
  const auto link = link_model(options.link);
  fmt::print(out, "\n{} device(s){}{}\n", gpus,
             environment.value("emulated", false) ? " that share this machine's hardware (emulated)" : "",
             link ? " over emulated links: " + describe(*link) : "");
  fmt::print(out, "{}\n", row_head());
}

void print_bounds(std::ostream& out, const std::vector<BenchVariant>& variants, int gpus,
                  std::int64_t bytes) {
  std::string text;
  for (const BenchVariant& v : variants)
    if (v.reducer == nullptr && bytes > 0)
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
  const Json& of_bound = m.contains("of_link_bound") ? m.at("of_link_bound") : m.at("of_in_place_bound");
  return fmt::format(kColumns, row.key.at("bytes").get<std::int64_t>(), row.key.at("algo").get<std::string>(),
                     transport.substr(0, transport.find(" (")), microseconds(time.min),
                     microseconds(time.median), microseconds(time.p95), shown(m.at("algbw_GBps"), "{:.2f}"),
                     shown(m.at("busbw_GBps"), "{:.2f}"), shown(m.at("effective_GBps"), "{:.2f}"),
                     shown(of_bound, "{:.0f} %", 100), shown(m.at("back_to_back_s"), "{:.2f}", 1e6),
                     shown(m.at("one_shot_s"), "{:.2f}", 1e6),
                     m.contains("wrong") ? fmt::format("{}", m.at("wrong").get<std::int64_t>()) : "-");
}

}  // namespace dpx
