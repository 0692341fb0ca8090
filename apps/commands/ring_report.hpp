#pragma once
// What dpx ring prints and records.
#include <optional>
#include <ostream>
#include <vector>

#include "lib/comm/counting_link.hpp"
#include "lib/comm/exact_check.hpp"
#include "lib/comm/schedule_trace.hpp"
#include "lib/comm/simulate.hpp"
#include "lib/record/record.hpp"

namespace dpx {

/// The allreduce that is shown: fp32 elements.
struct RingProblem {
  const Schedule& schedule;
  std::size_t count;
  static constexpr std::int64_t kBytesPerElement = 4;
  std::int64_t bytes() const { return std::int64_t(count) * kBytesPerElement; }
  int world_size() const { return schedule.world_size(); }
  Json key(const std::string& part) const;
};

void print_head(std::ostream& out, const RingProblem& problem);
void print_trace(std::ostream& out, const RingProblem& problem, const ScheduleTrace& trace);
void print_traffic(std::ostream& out, const RingProblem& problem, const std::vector<RankTraffic>& traffic);
/// `link` describes the model; the first row is the chosen algorithm.
void print_simulated(std::ostream& out, const RingProblem& problem, const std::string& link,
                     const std::vector<SimulatedTime>& rows);

void print_emulated(std::ostream& out, const RingProblem& problem, const std::string& transport,
                    const std::vector<double>& samples_s, double model_s);

/// Counts of the whole run, and per device.
Case traffic_case(const RingProblem& problem, const std::vector<RankTraffic>& traffic);
Case simulated_case(const RingProblem& problem, const SimulatedTime& simulated);
Case device_case(const RingProblem& problem, const SumCheck& sum);
/// Real times of the allreduce over an emulated link that should take `model_s`.
Case emulated_case(const RingProblem& problem, const std::vector<double>& samples_s, double model_s);
/// Every transfer and every cell of every step.
Json trace_json(const RingProblem& problem, const ScheduleTrace& trace);

}  // namespace dpx
