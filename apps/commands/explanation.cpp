#include "apps/commands/explanation.hpp"

#include <fmt/ostream.h>

#include <algorithm>

#include "apps/commands/model/format.hpp"
#include "apps/table.hpp"

namespace dpx {
namespace {

constexpr int kBarWidth = 32;

struct Part {
  const char* name;
  double here_s;
  std::optional<double> one_s;  ///< empty: a single device has no such part, or its time is not known
};

// Forward and backward pass apart where the engines' clocks tell them apart.
void add_passes(const StepFacts& f, std::vector<Part>& parts) {
  const auto one_s = f.one ? std::optional(f.one->compute_s) : std::nullopt;
  if (!f.step.forward_share || (f.one && !f.one->forward_share)) {
    parts.push_back({"forward + backward", f.step.compute_s, one_s});
    return;
  }
  const double here = *f.step.forward_share, on_one = f.one ? *f.one->forward_share : 0;
  const auto part_of_one = [&](double share) { return one_s ? std::optional(share * *one_s) : std::nullopt; };
  parts.push_back({"forward", here * f.step.compute_s, part_of_one(on_one)});
  parts.push_back({"backward", (1 - here) * f.step.compute_s, part_of_one(1 - on_one)});
}

std::vector<Part> parts_of(const StepFacts& f) {
  const auto one = [&](double StepParts::*part) {
    return f.one ? std::optional(f.one.value().*part) : std::nullopt;
  };
  std::vector<Part> parts{{"data", f.step.data_s, one(&StepParts::data_s)},
                          {"launch", f.step.launch_s, one(&StepParts::launch_s)}};
  add_passes(f, parts);
  parts.push_back({"slower devices", f.step.straggler_s, {}});
  if (f.has_link && f.gpus > 1) {
    const double latency_share = f.algorithm->comm(f.gpus).latency_share();
    parts.push_back({"allreduce: latency", f.step.allreduce_s * latency_share, {}});
    parts.push_back({"allreduce: bytes", f.step.allreduce_s * (1 - latency_share), {}});
  } else {
    parts.push_back({"allreduce", f.step.allreduce_s, {}});
  }
  parts.push_back({"update", f.step.update_s, one(&StepParts::update_s)});
  parts.push_back({"rest", f.step.rest_s, one(&StepParts::rest_s)});
  return parts;
}

// From where the parts before end to where this one does.
std::string bar(double start_s, double length_s, double total_s) {
  const auto column = [&](double t) { return std::min(kBarWidth, int(t / total_s * kBarWidth + 0.5)); };
  const int from = column(start_s), to = column(start_s + length_s);
  return std::string(std::size_t(from), ' ') + std::string(std::size_t(std::max(0, to - from)), '#');
}

void print_waterfall(std::ostream& out, const StepFacts& f) {
  const double total_s = f.step.total_s();
  const TimeUnit unit(std::max(total_s, f.one ? f.one->total_s() : 0.0));
  const bool compared = f.one && f.gpus > 1;
  const double share = f.weak ? 1.0 : 1.0 / f.gpus;
  std::vector<std::string> headers{"<part", unit.header("here"), "share", "<"};
  if (compared)
    headers.insert(headers.begin() + 3,
                   {f.one_is_predicted ? "1 device, predicted" : "1 device",
                    f.weak ? "ideal: the same" : fmt::format("ideal: 1/{}", f.gpus), "lost"});
  Table table(headers);
  const auto row = [&](const char* name, double here_s, std::optional<double> one_s, std::string drawn) {
    std::vector<std::string> cells{name, unit.cell(here_s), whole_percent(here_s / total_s)};
    if (compared) {
      const double ideal_s = one_s.value_or(0) * share;
      cells.push_back(one_s ? unit.cell(*one_s) : "-");
      cells.push_back(one_s ? unit.cell(ideal_s) : "-");
      cells.push_back(unit.cell(here_s - ideal_s));
    }
    cells.push_back(std::move(drawn));
    table.row(cells);
  };
  double start_s = 0;
  for (const Part& part : parts_of(f)) {
    row(part.name, part.here_s, part.one_s, bar(start_s, part.here_s, total_s));
    start_s += part.here_s;
  }
  row("step", total_s, compared ? std::optional(f.one->total_s()) : std::nullopt, "");
  table.print(out);
}

}  // namespace

void print_explanation(std::ostream& out, const StepFacts& f, const Explanation& e) {
  fmt::print(out, "\nwhere a step on {} device(s) goes: {}batch {:.0f}, width {}\n", f.gpus,
             f.weak ? "weak scaling, " : "", f.batch, f.width);
  if (f.step.total_s() > 0) print_waterfall(out, f);
  fmt::print(out, "binding term: {}\n  {}\n", name_of(e.binding), e.headline);
  if (!e.changes.empty()) fmt::print(out, "what would change it\n");
  for (const Change& change : e.changes) fmt::print(out, "  - {}\n", change.text);
  for (const std::string& what : e.cannot_tell) fmt::print(out, "cannot tell: {}\n", what);
  out.flush();
}

Json explanation_json(const Explanation& e) {
  Json losses = Json::object(), changes = Json::object();
  for (const Loss& loss : e.losses) losses[std::string(name_of(loss.cause))] = loss.lost_s;
  for (const Change& change : e.changes) changes[change.key] = json_or_null(change.value);
  return {{"binding", name_of(e.binding)},
          {"headline", e.headline},
          {"speedup", json_or_null(e.speedup)},
          {"efficiency", json_or_null(e.efficiency)},
          {"losses_s", losses},
          {"changes", changes},
          {"cannot_tell", e.cannot_tell}};
}

}  // namespace dpx
