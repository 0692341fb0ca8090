#pragma once
// EmulatedPlan: when each rank does what in an allreduce that takes a given link's time.
#include "lib/comm/link_model.hpp"
#include "lib/comm/schedule.hpp"

namespace dpx {

/// What a rank receives, and when on the link. Units: seconds since all ranks were ready.
struct PlannedTransfer {
  int src;
  Op op;
  Range elements;
  double start_s, end_s;
};

/// A rank that reads the owner's buffer in a step; done once it has received `received` transfers since the
/// start.
struct PlannedReader {
  int rank;
  int received;
};

struct PlannedStep {
  int step;                               ///< of the schedule
  std::vector<PlannedTransfer> incoming;  ///< as they start; in list order where they touch the same elements
  std::vector<PlannedReader> readers;     ///< to be waited for before the rank leaves the step
};

struct EmulatedPlan {
  std::size_t count = 0;                        ///< elements, from 0
  double time_s = 0;                            ///< until the last rank is done
  std::vector<std::vector<PlannedStep>> ranks;  ///< per rank, the steps that it takes part in
};

/// The times of SimLink for `count` elements on links of `model`.
EmulatedPlan plan_emulation(const Schedule& schedule, std::size_t count, std::int64_t bytes_per_element,
                            const LinkModel& model);

}  // namespace dpx
