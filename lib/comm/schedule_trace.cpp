#include "lib/comm/schedule_trace.hpp"

#include <fmt/format.h>

#include "lib/comm/trace_link.hpp"

namespace dpx {
namespace {

constexpr std::size_t kMaxLineWidth = 110;

struct Phases {
  std::string_view algorithm, reduce, spread;
};
// Phases of several steps are numbered.
constexpr Phases kPhases[] = {{"ring", "RS", "AG"},       {"star", "reduce", "spread"},
                              {"tree", "up ", "down "},   {"halving-doubling", "halve ", "double "},
                              {"direct", "push", "pull"}, {"parameter-server", "push", "pull"}};

// Remembers a step's transfers while the tracer carries them out.
class Keeper final : public Link {
 public:
  Keeper(TraceLink& tracer, ScheduleTrace& trace, const Schedule& schedule)
      : tracer_(tracer), trace_(trace), schedule_(schedule) {
    keep("start");
  }
  void transfer(const Transfer& t, Range elements) override {
    tracer_.transfer(t, elements);
    transfers_.push_back({t, elements});
  }
  void end_step() override {
    tracer_.end_step();
    keep(step_name(schedule_, step_++));
  }

 private:
  void keep(std::string name) {
    const int ranks = schedule_.world_size(), chunks = schedule_.num_chunks();
    TracedStep step{std::move(name), std::exchange(transfers_, {}), {}};
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<int>& row = step.contributions.emplace_back();
      for (int chunk = 0; chunk < chunks; ++chunk) {
        row.push_back(tracer_.contributions(rank, chunk));
        if (trace_.owners[std::size_t(chunk)] < 0 && holds_all(rank, chunk))
          trace_.owners[std::size_t(chunk)] = rank;
      }
    }
    trace_.steps.push_back(std::move(step));
  }
  bool holds_all(int rank, int chunk) const {
    for (int source = 0; source < schedule_.world_size(); ++source)
      if (tracer_.held(rank, chunk, source) != 1) return false;
    return true;
  }

  TraceLink& tracer_;
  ScheduleTrace& trace_;
  const Schedule& schedule_;
  int step_ = 0;
  std::vector<TracedTransfer> transfers_;
};

std::string letters(std::size_t chunks, std::size_t width) {
  std::string line;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const std::string name = chunks <= 26 ? std::string(1, char('a' + chunk)) : std::to_string(chunk);
    line += fmt::format("{}{:>{}}", chunk == 0 ? "" : " ", name, width);
  }
  return line;
}

// Chunks without elements, which nobody sends, are shown as "-".
std::string cells(const ScheduleTrace& trace, const std::vector<int>& row, std::size_t width) {
  std::string line;
  for (std::size_t chunk = 0; chunk < row.size(); ++chunk)
    line += fmt::format("{}{:>{}}", chunk == 0 ? "" : " ",
                        trace.chunks[chunk].count == 0 ? "-" : std::to_string(row[chunk]), width);
  return line;
}

// Appends `line` without blanks at its end.
void add_line(std::string& text, const std::string& line) {
  text.append(line, 0, line.find_last_not_of(' ') + 1);
  text += '\n';
}

std::string side_by_side(const ScheduleTrace& trace, std::size_t digits, std::size_t name_width,
                         std::size_t width) {
  std::string head = fmt::format("{:<{}}", "step", name_width), names = std::string(name_width, ' '), text;
  for (std::size_t rank = 0; rank < trace.steps.front().contributions.size(); ++rank) {
    head += fmt::format("  {:<{}}", fmt::format("device {}", rank), width);
    names += fmt::format("  {:<{}}", letters(trace.chunks.size(), digits), width);
  }
  add_line(text, head);
  add_line(text, names);
  for (const TracedStep& step : trace.steps) {
    std::string line = fmt::format("{:<{}}", step.name, name_width);
    for (const auto& row : step.contributions)
      line += fmt::format("  {:<{}}", cells(trace, row, digits), width);
    add_line(text, line);
  }
  return text;
}

std::string block_per_step(const ScheduleTrace& trace, std::size_t digits, std::size_t name_width) {
  std::string text =
      fmt::format("{:<{}}  device  {}\n", "step", name_width, letters(trace.chunks.size(), digits));
  for (const TracedStep& step : trace.steps)
    for (std::size_t rank = 0; rank < step.contributions.size(); ++rank)
      text += fmt::format("{:<{}}  {:>6}  {}\n", rank == 0 ? step.name : "", name_width, rank,
                          cells(trace, step.contributions[rank], digits));
  return text;
}

}  // namespace

std::string step_name(const Schedule& schedule, int s) {
  const std::string algorithm = split_algorithm(schedule.name()).base;
  const int half = schedule.num_steps() / 2;
  for (const Phases& phases : kPhases) {
    if (algorithm != phases.algorithm || is_pipelined(schedule.name())) continue;
    const bool reduce = s < half;
    const std::string word(reduce ? phases.reduce : phases.spread);
    const bool numbered = word == "RS" || word == "AG" || word.back() == ' ';
    return numbered ? fmt::format("{}{}", word, (reduce ? s : s - half) + 1) : word;
  }
  return fmt::format("step {}", s + 1);
}

ScheduleTrace trace_schedule(const Schedule& schedule, std::size_t count) {
  const auto chunks = std::size_t(schedule.num_chunks());
  ScheduleTrace trace;
  trace.owners.assign(chunks, -1);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    trace.chunks.push_back(part_of({0, count}, chunks, chunk));
  TraceLink tracer(schedule.world_size(), schedule.num_chunks());
  Keeper keeper(tracer, trace, schedule);
  walk(schedule, {0, count}, keeper);
  trace.violations = tracer.violations();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    trace.incomplete_chunks += trace.chunks[chunk].count > 0 && !tracer.complete(int(chunk));
  return trace;
}

std::string format_trace(const ScheduleTrace& trace) {
  const std::size_t ranks = trace.steps.front().contributions.size();
  const std::size_t digits = std::to_string(ranks).size();
  const std::size_t cells_width = trace.chunks.size() * (digits + 1) - 1;
  const std::size_t width = std::max<std::size_t>(cells_width, 9);
  std::size_t name_width = 5;
  for (const TracedStep& step : trace.steps) name_width = std::max(name_width, step.name.size());
  if (name_width + ranks * (width + 2) <= kMaxLineWidth)
    return side_by_side(trace, digits, name_width, width);
  return block_per_step(trace, digits, name_width);
}

}  // namespace dpx
