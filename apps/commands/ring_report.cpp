#include "apps/commands/ring_report.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <optional>

#include "lib/comm/cost_model/bandwidth.hpp"
#include "lib/comm/schedule_checks.hpp"
#include "lib/comm/traffic_forms.hpp"
#include "lib/core/units.hpp"
#include "lib/measure/statistics.hpp"

namespace dpx {
namespace {

constexpr std::size_t kListedDevices = 16;
constexpr double kTooSlow = 1.1;

std::string chunk_name(std::size_t chunk, std::size_t chunks) {
  return chunks <= 26 ? std::string(1, char('a' + chunk)) : std::to_string(chunk);
}

// "[3,3,2,2]", or in words where there are many.
std::string chunk_sizes(const RingProblem& problem) {
  const auto chunks = std::size_t(problem.schedule.num_chunks());
  const std::size_t small = problem.count / chunks, larger = problem.count % chunks;
  if (chunks > kListedDevices)
    return fmt::format("{} chunks of {} elements{}", chunks, larger > 0 ? small + 1 : small,
                       larger > 0 ? fmt::format(" ({}) or {} ({})", larger, small, chunks - larger) : "");
  std::string sizes;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    sizes += fmt::format("{}{}", chunk == 0 ? "" : ",", part_of({0, problem.count}, chunks, chunk).count);
  return fmt::format("chunks [{}]", sizes);
}

// null at k = 1, where nothing is communicated.
Json or_null(const RingProblem& problem, double value) {
  return problem.world_size() > 1 ? Json(value) : Json();
}

std::string or_na(const RingProblem& problem, const std::string& text) {
  return problem.world_size() > 1 ? text : "n/a";
}

// "112.0 ms"
std::string four_digits(double seconds) {
  const bool us = seconds < 0.99995e-3, ms = seconds < 0.99995;
  return fmt::format("{:#.4g} {}", seconds * (us ? 1e6 : ms ? 1e3 : 1), us ? "us" : ms ? "ms" : "s");
}

// "285.5", "0.0107": small sizes give small rates.
std::string shown(std::optional<double> rate_Bps) {
  return rate_Bps ? fmt::format("{:#.4g}", *rate_Bps / 1e9) : "n/a";
}

Json in_GBps(std::optional<double> rate_Bps) {
  return rate_Bps ? Json(*rate_Bps / 1e9) : Json();
}

}  // namespace

Json RingProblem::key(const std::string& part) const {
  return {{"part", part}, {"algo", schedule.name()}, {"gpus", world_size()}, {"bytes", bytes()}};
}

void print_head(std::ostream& out, const RingProblem& problem) {
  const std::string rounded =
      problem.bytes() < 1024 ? "" : fmt::format(" ({})", format_bytes(problem.bytes()));
  fmt::print(out, "{}: k = {} device(s), {} step(s); N = {} B{} per device, {} fp32 element(s), {}\n",
             problem.schedule.name(), problem.world_size(), problem.schedule.num_steps(), problem.bytes(),
             rounded, problem.count, chunk_sizes(problem));
}

void print_trace(std::ostream& out, const RingProblem& problem, const ScheduleTrace& trace) {
  fmt::print(out, "\ncontributions that each device holds of each chunk; {} is the whole sum\n{}",
             problem.world_size(), format_trace(trace));
  std::string owners;
  for (std::size_t chunk = 0; chunk < trace.owners.size(); ++chunk)
    owners += fmt::format("{}{} {}", chunk == 0 ? "" : ", ", chunk_name(chunk, trace.owners.size()),
                          trace.owners[chunk] < 0 ? "none" : std::to_string(trace.owners[chunk]));
  fmt::print(out, "owner (the device that first holds the whole sum) of chunk: {}\n", owners);
}

void print_traffic(std::ostream& out, const RingProblem& problem, const std::vector<RankTraffic>& traffic) {
  constexpr auto kSize = RingProblem::kBytesPerElement;
  const auto closed = [&](int rank) { return elements_sent(problem.schedule, problem.count, rank) * kSize; };
  fmt::print(out, "\n{:<17}{:>18}{:>18}{:>18}{:>12}{:>12}\n", "traffic", "bytes sent", "closed form",
             "bytes received", "msgs sent", "msgs recv");
  const auto line = [&](const std::string& name, const RankTraffic& t, std::int64_t form) {
    fmt::print(out, "{:<17}{:>18}{:>18}{:>18}{:>12}{:>12}\n", name, t.elements_sent * kSize, form,
               t.elements_received * kSize, t.messages_sent, t.messages_received);
  };
  const int busiest = busiest_rank(traffic);
  if (traffic.size() <= kListedDevices)
    for (std::size_t rank = 0; rank < traffic.size(); ++rank)
      line(fmt::format("device {}", rank), traffic[rank], closed(int(rank)));
  else
    line(fmt::format("device {}", busiest), traffic[std::size_t(busiest)], closed(busiest));
  RankTraffic all;
  for (const RankTraffic& t : traffic) {
    all.elements_sent += t.elements_sent;
    all.elements_received += t.elements_received;
    all.messages_sent += t.messages_sent;
    all.messages_received += t.messages_received;
  }
  line("all links", all, 2 * (problem.world_size() - 1) * problem.bytes());
  fmt::print(out, "busiest: device {} sends {} B, in equal chunks {}; over all links 2(k-1) N\n", busiest,
             traffic[std::size_t(busiest)].elements_sent * kSize, busiest_formula(problem.schedule));
}

void print_simulated(std::ostream& out, const RingProblem& problem, const std::string& link,
                     const std::vector<SimulatedTime>& rows) {
  fmt::print(
      out,
      "\nsimulated time t on links of {}\nalgbw = N/t, busbw = N/t 2(k-1)/k, effective = 2N/t, in GB/s "
      "= 10^9 B/s; latency = t - t(alpha = 0)\n",
      link);
  std::size_t name_width = 9;
  for (const SimulatedTime& row : rows) name_width = std::max(name_width, row.algorithm.size());
  fmt::print(out, "{:<{}} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}  formula\n", "algorithm", name_width, "t",
             "formula t", "latency", "algbw", "busbw", "effective");
  for (const SimulatedTime& row : rows) {
    const auto time = [&](double t) { return or_na(problem, four_digits(t)); };
    const Bandwidths rates = bandwidths(problem.world_size(), double(problem.bytes()), row.time_s);
    const std::string formula = (row.formula_is_bound ? "at least " : "") + row.formula;
    fmt::print(out, "{:<{}} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}  {}\n", row.algorithm, name_width,
               time(row.time_s), row.formula_time_s ? time(*row.formula_time_s) : "-", time(row.latency_s),
               shown(rates.algbw_Bps), shown(rates.busbw_Bps), shown(rates.effective_Bps),
               formula.empty() ? "-" : formula);
  }
  if (problem.world_size() == 1)
    fmt::print(out, "one device communicates nothing: times and rates are n/a\n");
}

void print_emulated(std::ostream& out, const RingProblem& problem, const std::string& transport,
                    const std::vector<double>& samples_s, double model_s) {
  if (problem.world_size() == 1) return;
  const Summary real = summarize(samples_s);
  fmt::print(out, "real time over an {}: median {}, min {} of {} runs; the link's model says {}\n", transport,
             four_digits(real.median), four_digits(real.min), real.n, four_digits(model_s));
  if (real.median > kTooSlow * model_s)
    fmt::print(out, "{:.2f} times the model's: this machine is too slow, or too busy, for such a link\n",
               real.median / model_s);
}

Case traffic_case(const RingProblem& problem, const std::vector<RankTraffic>& traffic) {
  constexpr auto kSize = RingProblem::kBytesPerElement;
  Json sent = Json::array(), forms = Json::array(), received = Json::array(), messages = Json::array();
  std::int64_t total = 0;
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    sent.push_back(traffic[rank].elements_sent * kSize);
    forms.push_back(elements_sent(problem.schedule, problem.count, int(rank)) * kSize);
    received.push_back(traffic[rank].elements_received * kSize);
    messages.push_back(traffic[rank].messages_sent);
    total += traffic[rank].elements_sent * kSize;
  }
  const int busiest = busiest_rank(traffic);
  Case row;
  row.key = problem.key("traffic");
  row.metrics = {{"steps", problem.schedule.num_steps()},
                 {"chunks", problem.schedule.num_chunks()},
                 {"busiest_device", busiest},
                 {"busiest_sent_bytes", sent[std::size_t(busiest)]},
                 {"busiest_sent_formula_bytes", forms[std::size_t(busiest)]},
                 {"all_links_bytes", total},
                 {"all_links_formula_bytes", 2 * (problem.world_size() - 1) * problem.bytes()},
                 {"sent_bytes", sent},
                 {"sent_formula_bytes", forms},
                 {"received_bytes", received},
                 {"messages_sent", messages}};
  return row;
}

Case simulated_case(const RingProblem& problem, const SimulatedTime& simulated) {
  const Bandwidths rates = bandwidths(problem.world_size(), double(problem.bytes()), simulated.time_s);
  Case row;
  row.key = problem.key("simulated");
  row.key["algo"] = simulated.algorithm;
  row.metrics = {
      {"simulated", true},
      {"time_s", or_null(problem, simulated.time_s)},
      {"latency_s", or_null(problem, simulated.latency_s)},
      {"formula", simulated.formula.empty() ? Json() : Json(simulated.formula)},
      {"formula_time_s", simulated.formula_time_s ? or_null(problem, *simulated.formula_time_s) : Json()},
      {"formula_is_bound", simulated.formula_is_bound},
      {"algbw_GBps", in_GBps(rates.algbw_Bps)},
      {"busbw_GBps", in_GBps(rates.busbw_Bps)},
      {"effective_GBps", in_GBps(rates.effective_Bps)}};
  return row;
}

Case device_case(const RingProblem& problem, const SumCheck& sum) {
  Case row;
  row.key = problem.key("devices");
  Json hashes = Json::array();
  for (const std::uint64_t hash : sum.hashes) hashes.push_back(fmt::format("{:016x}", hash));
  row.metrics = {{"wrong", sum.wrong},
                 {"elements_compared", std::int64_t(problem.count) * problem.world_size()},
                 {"hashes", hashes}};
  if (sum.wrong > 0) {
    row.status = "failed";
    row.reason = sum.first_wrong;
  }
  return row;
}

Case emulated_case(const RingProblem& problem, const std::vector<double>& samples_s, double model_s) {
  Case row;
  row.key = problem.key("emulated");
  row.samples_s = samples_s;
  row.metrics = {{"emulated", true}, {"model_time_s", or_null(problem, model_s)}};
  return row;
}

Json trace_json(const RingProblem& problem, const ScheduleTrace& trace) {
  Json steps = Json::array(), sizes = Json::array(), owners = Json::array();
  for (const int owner : trace.owners) owners.push_back(owner < 0 ? Json() : Json(owner));
  for (const Range& chunk : trace.chunks) sizes.push_back(chunk.count);
  for (const TracedStep& step : trace.steps) {
    Json transfers = Json::array();
    for (const auto& [t, elements] : step.transfers)
      transfers.push_back({{"src", t.src},
                           {"dst", t.dst},
                           {"first_chunk", t.first_chunk},
                           {"num_chunks", t.num_chunks},
                           {"op", t.op == Op::copy ? "copy" : "accumulate"},
                           {"bytes", std::int64_t(elements.count) * RingProblem::kBytesPerElement}});
    steps.push_back({{"name", step.name}, {"transfers", transfers}, {"contributions", step.contributions}});
  }
  return {{"algorithm", problem.schedule.name()},
          {"chunk_elements", sizes},
          {"owners", owners},
          {"violations", trace.violations},
          {"steps", steps}};
}

}  // namespace dpx
