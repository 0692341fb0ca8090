#pragma once
// Verdicts on a schedule: what was counted, traced, simulated and summed against what it must be.
#include <cstdint>
#include <string>
#include <vector>

#include "lib/comm/counting_link.hpp"
#include "lib/comm/exact_check.hpp"
#include "lib/comm/schedule_trace.hpp"
#include "lib/comm/simulate.hpp"
#include "lib/core/fields.hpp"

namespace dpx {

/// One check, ready for a record.
struct Finding {
  std::string name;
  Json value, limit;
  bool passed;
};

/// Rank that sends most, the lowest of them.
int busiest_rank(const std::vector<RankTraffic>& traffic);

/// Counted bytes of every rank against the closed form, the busiest rank's, and all links together against
/// 2(k-1)N.
std::vector<Finding> check_traffic(const Schedule& schedule, std::size_t count,
                                   std::int64_t bytes_per_element, const std::vector<RankTraffic>& traffic);

/// No rule of schedule.hpp broken; every (rank, chunk) holds each contribution once.
std::vector<Finding> check_trace(const ScheduleTrace& trace);

/// Simulated time against the closed form within rounding; none where there is no exact form.
std::vector<Finding> check_simulated(const SimulatedTime& simulated);

/// Every element right on every rank; all ranks with the same bits.
std::vector<Finding> check_device_sum(const SumCheck& sum);

}  // namespace dpx
