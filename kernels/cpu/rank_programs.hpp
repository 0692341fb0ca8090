#pragma once
// RankPrograms: a schedule rewritten as what each rank does on shared memory, step by step, for one run of
// elements.
#include <cstdint>
#include <vector>

#include "lib/comm/schedule.hpp"

namespace dpx {

/// One pass over `elements` of several ranks' buffers.
struct RankAction {
  enum Kind {
    copy,       ///< own = peers[0]
    add,        ///< own += peers[0] + peers[1] + ..., in this order, in one pass
    add_to_all  ///< the same, and the sum is written to every peer too
  };
  Kind kind;
  Range elements;
  std::vector<int> peers;
};

struct RankStep {
  std::vector<RankAction> actions;
  std::vector<int> touched_by;  ///< ranks that read this rank's buffer in the step, or write to it
};

/// steps[rank][s]; every rank has the same number of steps.
struct RankPrograms {
  int num_steps = 0;
  std::vector<std::vector<RankStep>> steps;
};

/// Accumulates of one step into the same elements become one pass; a step of accumulates whose sums the next
/// step copies from their owners to everyone becomes one step of `add_to_all`. Additions keep the schedule's
/// order, so the bits are those of the schedule carried out transfer by transfer.
RankPrograms compile_programs(const Schedule& schedule, Range elements);

}  // namespace dpx
