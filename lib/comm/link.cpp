#include "lib/comm/link.hpp"

namespace dpx {

void walk_step(const Schedule& schedule, int step, Range elements, Link& link) {
  const auto chunks = std::size_t(schedule.num_chunks());
  for (const Transfer& t : schedule.step(step)) {
    const Range run = parts_of(elements, chunks, std::size_t(t.first_chunk), std::size_t(t.num_chunks));
    if (run.count > 0) link.transfer(t, run);
  }
  link.end_step();
}

void walk(const Schedule& schedule, Range elements, Link& link) {
  for (int step = 0; step < schedule.num_steps(); ++step) walk_step(schedule, step, elements, link);
}

}  // namespace dpx
