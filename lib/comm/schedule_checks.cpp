#include "lib/comm/schedule_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/comm/traffic_forms.hpp"

namespace dpx {
namespace {
constexpr double kRounding = 1e-9;  // thousands of additions of doubles stay far below
}  // namespace

int busiest_rank(const std::vector<RankTraffic>& traffic) {
  const auto busiest = std::max_element(
      traffic.begin(), traffic.end(),
      [](const RankTraffic& a, const RankTraffic& b) { return a.elements_sent < b.elements_sent; });
  return int(busiest - traffic.begin());
}

std::vector<Finding> check_traffic(const Schedule& schedule, std::size_t count,
                                   std::int64_t bytes_per_element, const std::vector<RankTraffic>& traffic) {
  std::int64_t total = 0, received = 0, largest = 0;
  int different = 0;
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    const std::int64_t expected = elements_sent(schedule, count, int(rank));
    different += traffic[rank].elements_sent != expected;
    largest = std::max(largest, expected);
    total += traffic[rank].elements_sent;
    received += traffic[rank].elements_received;
  }
  const std::int64_t busiest = traffic[std::size_t(busiest_rank(traffic))].elements_sent;
  const std::int64_t all_links = 2 * std::int64_t(schedule.world_size() - 1) * std::int64_t(count);
  const auto bytes = [&](std::int64_t elements) { return elements * bytes_per_element; };
  return {{"devices whose bytes sent differ from the closed form", different, 0, different == 0},
          {"bytes sent by the busiest device", bytes(busiest), bytes(largest), busiest == largest},
          {"bytes over all links", bytes(total), bytes(all_links), total == all_links && received == total}};
}

std::vector<Finding> check_trace(const ScheduleTrace& trace) {
  const std::size_t broken = trace.violations.size();
  return {{"rules of a schedule broken", broken, 0, broken == 0},
          {"chunks without each contribution exactly once on every device", trace.incomplete_chunks, 0,
           trace.incomplete_chunks == 0}};
}

std::vector<Finding> check_simulated(const SimulatedTime& simulated) {
  if (!simulated.formula_exact) return {};
  const double formula_s = *simulated.formula_time_s;
  const bool equal = std::abs(simulated.time_s - formula_s) <= kRounding * formula_s;
  return {
      {fmt::format("simulated time of {} in s", simulated.algorithm), simulated.time_s, formula_s, equal}};
}

std::vector<Finding> check_device_sum(const SumCheck& sum) {
  return {
      {"wrong elements after the allreduce", sum.wrong, 0, sum.wrong == 0},
      {"all devices hold the same bits", sum.identical() ? "equal" : "different", "equal", sum.identical()}};
}

}  // namespace dpx
