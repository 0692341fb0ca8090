#include "lib/comm/simulate.hpp"

#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/counting_link.hpp"
#include "lib/comm/sim_link.hpp"

namespace dpx {
namespace {

// How well the cost model's formula fits an algorithm on these links.
enum class Form {
  none,
  bound,  // of ports that never wait for each other; the schedule's order may need longer
  exact   // where chunks are equal
};

Form form_of(const Schedule& schedule, const LinkModel& model) {
  const std::string name = split_algorithm(schedule.name()).base;
  if (model.two_level()) return Form::none;
  if (is_pipelined(schedule.name())) return model.duplex == Duplex::half ? Form::none : Form::exact;
  const bool hub = name == "star" || name == "tree" || schedule.num_chunks() == 1;
  if (model.duplex == Duplex::bus) return Form::exact;
  // Ports that take turns cost nothing where no rank sends and receives in one step.
  if (model.duplex == Duplex::half) return hub ? Form::exact : Form::none;
  if (hub || name == "ring" || name == "halving-doubling" || name == "direct") return Form::exact;
  return Form::bound;
}

void add_formula(SimulatedTime& result, const Schedule& schedule, std::size_t count, double bytes,
                 const LinkModel& model) {
  const Form form = form_of(schedule, model);
  if (form == Form::none) return;
  const Wiring wiring = model.duplex == Duplex::bus ? Wiring::bus : Wiring::full_duplex;
  result.formula = allreduce_formula(schedule.name(), wiring);
  result.formula_time_s =
      allreduce_time(schedule.name(), schedule.world_size(), bytes, model.inside, wiring).total_s();
  const bool equal_chunks = count % std::size_t(schedule.num_chunks()) == 0 && count > 0;
  result.formula_exact = form == Form::exact && equal_chunks;
  result.formula_is_bound = form == Form::bound;
}

}  // namespace

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
  add_formula(result, schedule, count, double(count) * double(bytes_per_element), model);
  return result;
}

}  // namespace dpx
