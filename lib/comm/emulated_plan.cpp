#include "lib/comm/emulated_plan.hpp"

#include <algorithm>

#include "lib/comm/sim_link.hpp"

namespace dpx {
namespace {

bool overlap(Range a, Range b) {
  return a.first < b.end() && b.first < a.end();
}

// The step `number` of a rank; steps come in order.
PlannedStep& step_of(std::vector<PlannedStep>& steps, int number) {
  if (steps.empty() || steps.back().step != number) steps.push_back({number, {}, {}});
  return steps.back();
}

// By start, but never before a transfer of the list into the same elements: the order of sums is the
// schedule's.
void insert(std::vector<PlannedTransfer>& incoming, const PlannedTransfer& t) {
  auto place = incoming.end();
  while (place != incoming.begin() && (place - 1)->start_s > t.start_s &&
         !overlap((place - 1)->elements, t.elements))
    --place;
  incoming.insert(place, t);
}

void add_reader(std::vector<PlannedStep>& steps, int number, PlannedReader reader) {
  const auto step = std::lower_bound(steps.begin(), steps.end(), number,
                                     [](const PlannedStep& s, int wanted) { return s.step < wanted; });
  for (PlannedReader& known : step->readers)
    if (known.rank == reader.rank) {
      known.received = std::max(known.received, reader.received);
      return;
    }
  step->readers.push_back(reader);
}

void add_readers(EmulatedPlan& plan) {
  for (int rank = 0; rank < int(plan.ranks.size()); ++rank) {
    int received = 0;
    for (const PlannedStep& step : plan.ranks[std::size_t(rank)])
      for (const PlannedTransfer& t : step.incoming)
        add_reader(plan.ranks[std::size_t(t.src)], step.step, {rank, ++received});
  }
}

}  // namespace

EmulatedPlan plan_emulation(const Schedule& schedule, std::size_t count, std::int64_t bytes_per_element,
                            const LinkModel& model) {
  SimLink link(schedule.world_size(), model, bytes_per_element);
  std::vector<TimedTransfer> transfers;
  link.keep_transfers(&transfers);
  walk(schedule, {0, count}, link);

  EmulatedPlan plan{count, link.time_s(), {}};
  plan.ranks.resize(std::size_t(schedule.world_size()));
  for (const auto& [t, step, bytes, start_s, end_s] : transfers) {
    const Range elements = parts_of({0, count}, std::size_t(schedule.num_chunks()),
                                    std::size_t(t.first_chunk), std::size_t(t.num_chunks));
    step_of(plan.ranks[std::size_t(t.src)], step);
    insert(step_of(plan.ranks[std::size_t(t.dst)], step).incoming, {t.src, t.op, elements, start_s, end_s});
  }
  add_readers(plan);
  return plan;
}

}  // namespace dpx
