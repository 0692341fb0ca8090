#include "lib/comm/simulate.hpp"

#include "lib/comm/closed_forms.hpp"
#include "lib/comm/counting_link.hpp"
#include "lib/comm/sim_link.hpp"

namespace dpx {

SimulatedTime simulate(const Schedule& schedule, std::size_t count, std::int64_t bytes_per_element,
                       const LinkModel& model, Link* also) {
  LinkModel no_latency = model;
  no_latency.inside.alpha_s = no_latency.between.alpha_s = 0;
  const int k = schedule.world_size();
  SimLink link(k, model, bytes_per_element), bandwidth(k, no_latency, bytes_per_element);
  std::vector<Link*> links = {&link, &bandwidth};
  if (also != nullptr) links.push_back(also);
  FanOut all(links);
  walk(schedule, {0, count}, all);

  SimulatedTime result;
  result.algorithm = schedule.name();
  result.time_s = link.time_s();
  result.latency_s = link.time_s() - bandwidth.time_s();
  result.formula = allreduce_formula(schedule.name(), model);
  result.formula_time_s =
      allreduce_time_s(schedule.name(), k, double(count) * double(bytes_per_element), model);
  result.formula_exact = result.formula_time_s.has_value() && count % std::size_t(schedule.num_chunks()) == 0;
  return result;
}

}  // namespace dpx
