#include "lib/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/units.hpp"

namespace dpx {
namespace {

// The part of one device's time that each of k devices should need.
double ideal_share(const StepFacts& f) {
  return f.weak ? 1.0 : 1.0 / f.gpus;
}

void add_communication(const StepFacts& f, std::vector<Loss>& losses) {
  if (!f.has_link) {
    losses.push_back({Binding::communication, f.step.allreduce_s});
    return;
  }
  const double latency_share = f.algorithm->comm(f.gpus).latency_share();
  losses.push_back({Binding::latency, f.step.allreduce_s * latency_share});
  losses.push_back({Binding::bandwidth, f.step.allreduce_s * (1 - latency_share)});
}

std::vector<Loss> find_losses(const StepFacts& f) {
  std::vector<Loss> losses;
  const double share = ideal_share(f);
  if (f.one) {
    losses.push_back({Binding::compute, f.step.own_work_s() - share * f.one->own_work_s()});
    losses.push_back({Binding::data, f.step.data_s - share * f.one->data_s});
  } else {
    losses.push_back({Binding::data, f.step.data_s});
  }
  losses.push_back({Binding::straggler, f.step.straggler_s});
  add_communication(f, losses);
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.lost_s > b.lost_s; });
  return losses;
}

std::string of_step(const StepFacts& f, double part_s) {
  return fmt::format("{} of a step of {} ({:.0f} %)", format_seconds(part_s),
                     format_seconds(f.step.total_s()), 100 * part_s / f.step.total_s());
}

std::string cause_text(const StepFacts& f, const Loss& loss) {
  switch (loss.cause) {
    case Binding::compute:
      return fmt::format("{} are work that does not shrink with the shard", of_step(f, loss.lost_s));
    case Binding::latency:
      return fmt::format("{} are starts of messages, {:.0f} one after the other", of_step(f, loss.lost_s),
                         allreduce_terms(f.algorithm->algo, f.gpus, f.algorithm->gradient_bytes,
                                         f.algorithm->runs, f.algorithm->wiring)
                             .starts);
    case Binding::bandwidth:
      return fmt::format("{} are the gradients' bytes on the link", of_step(f, loss.lost_s));
    case Binding::communication:
      return fmt::format("{} are exposed communication", of_step(f, loss.lost_s));
    case Binding::data:
      return fmt::format("{} are reading and preparing examples{}", of_step(f, loss.lost_s),
                         f.one ? " beyond a device's share" : "");
    case Binding::straggler:
      return fmt::format("{} are waiting for the slowest device", of_step(f, loss.lost_s));
    case Binding::pays:
    case Binding::unknown:
      break;
  }
  return "";
}

// What the most is lost to.
std::string_view noun_of(Binding cause) {
  switch (cause) {
    case Binding::compute:
      return "work that does not shrink";
    case Binding::latency:
      return "starts of messages";
    case Binding::bandwidth:
      return "bytes on the link";
    case Binding::data:
      return "preparing data";
    case Binding::straggler:
      return "waiting for the slowest device";
    default:
      return "communication";
  }
}

std::string speed_text(const StepFacts& f, const Explanation& e) {
  return fmt::format("{:.2f}x the {} of one device on {} ({:.0f} % of ideal{})", *e.speedup,
                     f.weak ? "throughput" : "speed", f.gpus, 100 * *e.efficiency,
                     f.one_is_predicted ? ", one device as predicted" : "");
}

void judge_against_one(const StepFacts& f, Explanation& e) {
  e.speedup = f.one->total_s() / f.step.total_s() * (f.weak ? f.gpus : 1);
  e.efficiency = *e.speedup / f.gpus;
  const Loss& largest = e.losses.front();
  e.binding = *e.efficiency >= kPaysEfficiency ? Binding::pays : largest.cause;
  e.headline = speed_text(f, e);
  if (largest.lost_s > 0.005 * f.step.total_s())
    e.headline += "; " + (e.binding == Binding::pays
                              ? fmt::format("the most, {}, is lost to {}", format_seconds(largest.lost_s),
                                            noun_of(largest.cause))
                              : cause_text(f, largest));
}

// Without the step on one device: what is certainly lost may already decide.
void judge_alone(const StepFacts& f, Explanation& e) {
  double known_s = 0;
  for (const Loss& loss : e.losses) known_s += loss.lost_s;
  const double least = 1 - kPaysEfficiency;
  if (known_s >= least * f.step.total_s()) {
    e.binding = e.losses.front().cause;
    e.headline = cause_text(f, e.losses.front());
  } else {
    e.headline = fmt::format("forward + backward are {}; waiting and exchanging only {:.0f} %",
                             of_step(f, f.step.compute_s), 100 * known_s / f.step.total_s());
  }
  e.doubt(
      "whether computing shrank: the record has one number of devices (dpx scaling-sweep measures several, "
      "and "
      "explain --from SWEEP takes its fit)");
}

}  // namespace

void Explanation::doubt(std::string_view what) {
  cannot_tell.emplace_back(what);
}

std::string_view name_of(Binding binding) {
  switch (binding) {
    case Binding::pays:
      return "pays";
    case Binding::compute:
      return "compute does not shrink";
    case Binding::latency:
      return "latency";
    case Binding::bandwidth:
      return "bandwidth";
    case Binding::communication:
      return "communication";
    case Binding::data:
      return "data";
    case Binding::straggler:
      return "straggler";
    case Binding::unknown:
      break;
  }
  return "cannot tell";
}

Explanation explain(const StepFacts& facts) {
  Explanation e;
  if (!(facts.step.total_s() > 0)) {
    e.headline = "no step was timed";
    e.doubt("anything: the record has no time of a step");
    return e;
  }
  if (facts.gpus < 2) {
    e.headline = "one device: nothing is exchanged";
    e.doubt("whether a second device pays, unless its allreduce is known: dpx scaling-sweep");
  } else {
    e.losses = find_losses(facts);
    if (facts.one)
      judge_against_one(facts, e);
    else
      judge_alone(facts, e);
    if (!facts.has_link && facts.step.allreduce_s > 0.01 * facts.step.total_s())
      e.doubt("latency from bandwidth: the record has no alpha and beta (explain --from SWEEP)");
  }
  add_changes(facts, e);
  return e;
}

}  // namespace dpx
