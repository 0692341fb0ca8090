#include "lib/comm/link.hpp"

namespace dpx {

void walk(const Schedule& schedule, Range elements, Link& link) {
  const auto chunks = std::size_t(schedule.num_chunks());
  for (int s = 0; s < schedule.num_steps(); ++s) {
    for (const Transfer& t : schedule.step(s)) {
      const Range run = parts_of(elements, chunks, std::size_t(t.first_chunk), std::size_t(t.num_chunks));
      if (run.count > 0) link.transfer(t, run);
    }
    link.end_step();
  }
}

}  // namespace dpx
