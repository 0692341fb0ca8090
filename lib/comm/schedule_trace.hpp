#pragma once
// ScheduleTrace: a schedule carried out on symbols, kept step by step for tables and records.
#include <string>
#include <vector>

#include "lib/comm/schedule.hpp"

namespace dpx {

struct TracedTransfer {
  Transfer transfer;
  Range elements;
};

struct TracedStep {
  std::string name;                             ///< "start", "RS1", "AG3", "up 1", "push"
  std::vector<TracedTransfer> transfers;        ///< none at the start
  std::vector<std::vector<int>> contributions;  ///< [rank][chunk]: digits of the chapter's ring figure
};

struct ScheduleTrace {
  std::vector<Range> chunks;            ///< empty ones when there are fewer elements than chunks
  std::vector<TracedStep> steps;        ///< the state before the first step, then one entry per step
  std::vector<int> owners;              ///< per chunk: the first rank that held every contribution; -1: none
  std::vector<std::string> violations;  ///< of schedule.hpp's rules, one sentence each
  int incomplete_chunks = 0;            ///< chunks that do not hold each contribution once on every rank
};

/// Memory: steps x ranks x chunks; meant for tens of ranks.
ScheduleTrace trace_schedule(const Schedule& schedule, std::size_t count);

/// The name of step `s` in the words of its algorithm, "step 3" where it has none.
std::string step_name(const Schedule& schedule, int s);

/// The table of contributions: one line per step when all ranks fit beside each other, else a block per step;
/// chunks are the columns a b c d ... of each rank.
std::string format_trace(const ScheduleTrace& trace);

}  // namespace dpx
