#include "kernels/cpu/rank_programs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace dpx {
namespace {

using Step = std::vector<Transfer>;

Range elements_of(const Transfer& t, const Schedule& schedule, Range whole) {
  return parts_of(whole, std::size_t(schedule.num_chunks()), std::size_t(t.first_chunk),
                  std::size_t(t.num_chunks));
}

/// True when `sums` accumulates everyone's chunks into their owners and `copies` hands exactly those back to
/// everyone.
bool is_sum_then_spread(const Step& sums, const Step& copies, int world_size) {
  const auto key = [](int owner, int peer, const Transfer& t) {
    return std::array{owner, peer, t.first_chunk, t.num_chunks};
  };
  std::set<std::array<int, 4>> summed, spread;
  std::map<std::pair<int, int>, int> peers_of;  // (owner, first chunk) -> how many ranks it sums
  for (const Transfer& t : sums) {
    if (t.op != Op::accumulate) return false;
    summed.insert(key(t.dst, t.src, t));
    ++peers_of[{t.dst, t.first_chunk}];
  }
  for (const Transfer& t : copies) {
    if (t.op != Op::copy) return false;
    spread.insert(key(t.src, t.dst, t));
  }
  std::set<int> chunks;
  for (const auto& [owner_chunk, peers] : peers_of)
    if (peers != world_size - 1 || !chunks.insert(owner_chunk.second).second) return false;
  return !sums.empty() && summed == spread;
}

void append(RankPrograms& programs, const Schedule& schedule, Range whole, const Step& transfers,
            bool spread) {
  std::vector<RankStep> ranks(programs.steps.size());
  for (const Transfer& t : transfers) {
    const Range elements = elements_of(t, schedule, whole);
    if (elements.count == 0) continue;
    auto& actions = ranks[std::size_t(t.dst)].actions;
    const bool joins = t.op == Op::accumulate && !actions.empty() &&
                       actions.back().kind != RankAction::copy && actions.back().elements == elements;
    if (joins)
      actions.back().peers.push_back(t.src);
    else
      actions.push_back({t.op == Op::copy ? RankAction::copy
                         : spread         ? RankAction::add_to_all
                                          : RankAction::add,
                         elements,
                         {t.src}});
    auto& touched_by = ranks[std::size_t(t.src)].touched_by;
    if (std::find(touched_by.begin(), touched_by.end(), t.dst) == touched_by.end())
      touched_by.push_back(t.dst);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) programs.steps[r].push_back(std::move(ranks[r]));
  ++programs.num_steps;
}

}  // namespace

RankPrograms compile_programs(const Schedule& schedule, Range elements) {
  RankPrograms programs;
  programs.steps.resize(std::size_t(schedule.world_size()));
  for (int s = 0; s < schedule.num_steps(); ++s) {
    const Step step = schedule.step(s);
    const bool spread =
        s + 1 < schedule.num_steps() && is_sum_then_spread(step, schedule.step(s + 1), schedule.world_size());
    append(programs, schedule, elements, step, spread);
    if (spread) ++s;
  }
  return programs;
}

}  // namespace dpx
