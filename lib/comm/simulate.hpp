#pragma once
// simulate: what an allreduce takes on a link model, beside its closed form.
#include <optional>
#include <string>

#include "lib/comm/link.hpp"
#include "lib/comm/link_model.hpp"

namespace dpx {

struct SimulatedTime {
  std::string algorithm;
  double time_s = 0;
  double latency_s = 0;  ///< time_s minus the time on the same links with alpha = 0
  std::string formula;   ///< empty where none is known
  std::optional<double> formula_time_s;
  bool formula_exact = false;     ///< the chunks are equal, so simulation and formula must agree
  bool formula_is_bound = false;  ///< the schedule's order of transfers may need longer than the formula
};

/// One walk of `schedule` for `count` elements; `also` (may be null) is fed with the same transfers.
SimulatedTime simulate(const Schedule& schedule, std::size_t count, std::int64_t bytes_per_element,
                       const LinkModel& model, Link* also = nullptr);

}  // namespace dpx
