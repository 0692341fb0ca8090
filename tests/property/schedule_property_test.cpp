// Every schedule, for k = 1..17 and awkward counts: the rules of lib/comm/schedule.hpp hold, each
// contribution arrives exactly once, and the bytes are the closed form's.
#include <gtest/gtest.h>

#include "lib/comm/trace_link.hpp"
#include "tests/support/algorithm_parameters.hpp"

namespace dpx {
namespace {

class EverySchedule : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  std::unique_ptr<Schedule> schedule = make_schedule(std::get<0>(GetParam()), std::get<1>(GetParam()));
  int k = std::get<1>(GetParam());
};

TEST_P(EverySchedule, HoldsTheRulesAndSumsEachContributionOnce) {
  TraceLink trace(k, schedule->num_chunks());
  walk(*schedule, {0, std::size_t(schedule->num_chunks())}, trace);
  EXPECT_TRUE(trace.violations().empty()) << trace.violations().front();
  for (int chunk = 0; chunk < schedule->num_chunks(); ++chunk) EXPECT_TRUE(trace.complete(chunk)) << chunk;
}

TEST_P(EverySchedule, CountsNeedNotDivide) {
  for (std::size_t count : {0, 1, k - 1, k, k + 1, 1000, 129068}) {
    TraceLink trace(k, schedule->num_chunks());
    walk(*schedule, {0, count}, trace);
    EXPECT_TRUE(trace.violations().empty());
    std::int64_t total = 0;
    for (int rank = 0; rank < k; ++rank) total += trace.sent_by(rank).elements;
    EXPECT_EQ(total, 2 * (k - 1) * std::int64_t(count)) << "elements over all links, N = " << count;
    for (int chunk = 0; chunk < schedule->num_chunks(); ++chunk) {
      const Range part = part_of({0, count}, std::size_t(schedule->num_chunks()), std::size_t(chunk));
      EXPECT_TRUE(part.count == 0 || trace.complete(chunk)) << "N = " << count << " chunk " << chunk;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySchedule, testing::ValuesIn(test::all_schedules()), test::algorithm_and_k);

}  // namespace
}  // namespace dpx
