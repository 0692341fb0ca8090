#include "lib/explain/from_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "lib/comm/link_model.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/core/error.hpp"
#include "lib/explain/record_numbers.hpp"

namespace dpx {
namespace {

constexpr int kMaxGpus = 4096, kMaxWidth = 16, kMaxRuns = 1 << 20;

// Both commands write the same names: train sums over `steps`, scaling-sweep one step.
StepParts parts_of(const RecordNumbers& metrics, double steps) {
  const auto per_step = [&](const char* name) { return metrics.number_or(name, 0) / steps; };
  StepParts p;
  p.data_s = metrics.number("data_s") / steps;
  p.compute_s = metrics.number("forward_backward_s") / steps;
  if (const auto forward_s = metrics.maybe("forward_s"); forward_s && p.compute_s > 0)
    p.forward_share = *forward_s / steps / p.compute_s;
  p.straggler_s = per_step("straggler_s");
  p.allreduce_s = std::max(0.0, metrics.number("allreduce_s") / steps - p.straggler_s);
  p.update_s = metrics.number("update_s") / steps;
  const double other_s = std::max(0.0, metrics.number("other_s") / steps);
  p.launch_s = std::min(per_step("launch_s"), other_s);
  p.rest_s = other_s - p.launch_s;
  return p;
}

void add(StepParts& sum, const StepParts& p, double weight) {
  sum.data_s += weight * p.data_s;
  sum.launch_s += weight * p.launch_s;
  sum.compute_s += weight * p.compute_s;
  if (p.forward_share) sum.forward_share = sum.forward_share.value_or(0) + weight * *p.forward_share;
  sum.straggler_s += weight * p.straggler_s;
  sum.allreduce_s += weight * p.allreduce_s;
  sum.update_s += weight * p.update_s;
  sum.rest_s += weight * p.rest_s;
}

// Slower ranks hold up the step by what they compute and by what they make the others wait: both are theirs.
void charge_slow_ranks(StepFacts& f) {
  if (f.rank_compute_s.size() < 2) return;
  const double fastest_s = *std::min_element(f.rank_compute_s.begin(), f.rank_compute_s.end());
  const double beyond_s = std::max(0.0, f.step.compute_s - fastest_s);
  f.step.compute_s -= beyond_s;
  f.step.straggler_s += beyond_s;
}

std::vector<double> ranks_of(const RecordNumbers& metrics, double steps) {
  std::vector<double> ranks = metrics.numbers("rank_forward_backward_s");
  for (double& time_s : ranks) time_s /= steps;
  return ranks;
}

// A library's collective has no closed form here: then communication is one cost that cannot be told apart.
bool has_closed_form(const std::string& algo, int gpus) {
  try {
    make_schedule(algo, gpus);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Links that were emulated have known constants, where the closed forms hold on them.
void set_algorithm(StepFacts& f, const std::string& algo, int runs, double bytes, const Json& config) {
  if (!has_closed_form(algo, f.gpus)) return;
  StepCost cost;
  cost.algo = algo;
  cost.runs = runs;
  cost.gradient_bytes = bytes;
  if (const auto link = config.find("link"); link != config.end() && link->is_string()) {
    const LinkModel model = parse_link_model(link->get<std::string>());
    if (!model.two_level() && model.duplex != Duplex::half) {
      cost.link = model.inside;
      cost.wiring = model.duplex == Duplex::bus ? Wiring::bus : Wiring::full_duplex;
      f.has_link = true;
    }
  }
  f.algorithm = cost;
}

std::vector<RecordedStep> steps_of_train(const RecordNumbers& record, const Json& document) {
  const RecordNumbers config = record.object("config"), verdict = record.object("verdict");
  StepFacts f;
  f.gpus = config.count("gpus", kMaxGpus);
  f.width = config.count("width", kMaxWidth);
  f.batch = config.positive("batch");
  std::vector<RecordNumbers> epochs;
  for (const RecordNumbers& row : record.objects("cases"))
    if (row.text("status") == "ok") epochs.push_back(row.object("metrics"));
  if (epochs.empty()) record.refuse("has no whole epoch to explain");
  if (epochs.size() > 1) epochs.erase(epochs.begin());  // it warms caches and pages
  f.rank_compute_s.assign(std::size_t(f.gpus), 0.0);
  const double weight = 1.0 / double(epochs.size());
  for (const RecordNumbers& metrics : epochs) {
    const double steps = metrics.positive("steps");
    add(f.step, parts_of(metrics, steps), weight);
    const std::vector<double> ranks = ranks_of(metrics, steps);
    if (ranks.size() != f.rank_compute_s.size()) f.rank_compute_s.clear();
    for (std::size_t r = 0; r < f.rank_compute_s.size(); ++r) f.rank_compute_s[r] += weight * ranks[r];
  }
  charge_slow_ranks(f);
  set_algorithm(f, verdict.text("algorithm"), verdict.count("allreduces_per_step", kMaxRuns),
                4 * verdict.positive("num_params"), document.value("config", Json::object()));
  return {{Json({{"gpus", f.gpus}, {"batch", f.batch}}), f}};
}

std::vector<RecordedStep> steps_of_sweep(const RecordNumbers& record) {
  std::vector<RecordedStep> steps;
  const RecordNumbers fit = record.object("verdict").object("fit");
  for (const RecordNumbers& row : record.objects("cases")) {
    const RecordNumbers key = row.object("key"), metrics = row.object("metrics");
    if (key.text("kind") != "step" || row.text("status") != "ok") continue;
    StepFacts f;
    f.gpus = key.count("gpus", kMaxGpus);
    f.width = key.count("width", kMaxWidth);
    f.batch = key.positive("global_batch");
    f.weak = key.text("mode") == "weak";
    f.step = parts_of(metrics, 1);
    f.rank_compute_s = ranks_of(metrics, 1);
    charge_slow_ranks(f);
    const RecordNumbers constants = fit.object("by_width").object(std::to_string(f.width));
    StepCost cost;
    cost.algo = key.text("algo");
    cost.wiring = fit.text("wiring") == "bus" ? Wiring::bus : Wiring::full_duplex;
    cost.runs = metrics.count("allreduces", kMaxRuns);
    cost.gradient_bytes = metrics.positive("gradient_bytes");
    cost.fixed_s = constants.number("fixed_s");
    cost.per_example_s = constants.number("per_example_s");
    f.has_compute = true;
    if (!has_closed_form(cost.algo, f.gpus))
      key.refuse(fmt::format("has no algorithm \"{}\" on {} devices", cost.algo, f.gpus));
    if (const auto alpha = fit.maybe("alpha_s")) {
      f.has_link = true;
      cost.link = {*alpha, fit.maybe("beta_Bps").value_or(std::numeric_limits<double>::infinity())};
    }
    f.algorithm = cost;
    steps.push_back({key.json(), f});
  }
  return steps;
}

// One device with the batch that the comparison holds fixed, whatever mode it was measured in.
void add_one_device(std::vector<RecordedStep>& steps) {
  for (RecordedStep& many : steps) {
    StepFacts& f = many.facts;
    const double batch = f.weak ? f.batch / f.gpus : f.batch;
    for (const RecordedStep& other : steps)
      if (other.facts.gpus == 1 && other.facts.width == f.width && other.facts.batch == batch)
        f.one = other.facts.step;
    if (!f.one) apply_constants(f, {});
  }
}

}  // namespace

std::vector<RecordedStep> recorded_steps(const Json& document, const std::string& where) {
  const RecordNumbers record(document, where);
  const std::string command = record.text("command");
  if (command == "train") return steps_of_train(record, document);
  if (command != "scaling-sweep")
    record.refuse(fmt::format("is a record of \"{}\"; explain reads train and scaling-sweep", command));
  std::vector<RecordedStep> steps = steps_of_sweep(record);
  if (steps.empty()) record.refuse("has no measured step to explain");
  add_one_device(steps);
  return steps;
}

void apply_constants(StepFacts& f, const StepConstants& constants) {
  if (!f.algorithm) return;
  StepCost& cost = *f.algorithm;
  if (!f.has_link && constants.alpha_s) {
    cost.link = {*constants.alpha_s, constants.beta_Bps.value_or(std::numeric_limits<double>::infinity())};
    f.has_link = true;
  }
  if (!f.has_compute && constants.t0_s && constants.c_s_per_example) {
    cost.fixed_s = *constants.t0_s + f.step.update_s;
    cost.per_example_s = *constants.c_s_per_example;
    f.has_compute = true;
  }
  if (f.one || !f.has_compute) return;
  const double batch = f.weak ? f.batch / f.gpus : f.batch;
  StepParts one = f.step;
  one.straggler_s = one.allreduce_s = 0;
  one.data_s *= f.weak ? 1 : f.gpus;
  one.compute_s = cost.step_s(1, batch) - one.update_s;
  f.one = one;
  f.one_is_predicted = true;
}

}  // namespace dpx
