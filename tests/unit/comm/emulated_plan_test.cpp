// What an emulated allreduce plans: SimLink's times, the schedule's order of sums, everyone waited for.
#include "lib/comm/emulated_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/comm/simulate.hpp"

namespace dpx {
namespace {

EmulatedPlan plan_of(const std::string& algorithm, int k, std::size_t count, const std::string& link) {
  return plan_emulation(*make_schedule(algorithm, k), count, 4, parse_link_model(link));
}

const char* const kLinks[] = {"alpha=1us,beta=1GB/s", "alpha=1us,beta=1GB/s,duplex=half",
                              "alpha=1us,beta=1GB/s,duplex=bus",
                              "alpha=1us,beta=1GB/s,ranks-per-node=2,alpha-inter=5us,beta-inter=0.1GB/s"};

TEST(EmulatedPlan, StarOfThree) {
  const EmulatedPlan plan = plan_of("star", 3, 1000, "alpha=1us,beta=1GB/s");  // 5 us each
  ASSERT_EQ(plan.ranks.size(), 3u);
  const PlannedStep& sums = plan.ranks[0][0];
  ASSERT_EQ(sums.incoming.size(), 2u);
  EXPECT_EQ(sums.incoming[1].src, 2);
  EXPECT_DOUBLE_EQ(sums.incoming[1].start_s, 5e-6);
  EXPECT_DOUBLE_EQ(sums.incoming[1].end_s, 10e-6);
  EXPECT_TRUE(sums.readers.empty());
  ASSERT_EQ(plan.ranks[2][0].readers.size(), 1u);
  EXPECT_EQ(plan.ranks[2][0].readers[0].rank, 0);
  EXPECT_EQ(plan.ranks[2][0].readers[0].received, 2) << "rank 0 reads rank 2 as its second";
  EXPECT_EQ(plan.ranks[0][1].readers.size(), 2u);
  EXPECT_DOUBLE_EQ(plan.time_s, 20e-6);
}

TEST(EmulatedPlan, EveryTransferOnceInTheTimeOfTheSimulation) {
  for (const std::string& algorithm : schedule_names())
    for (int k : {1, 2, 4, 8})
      for (const char* link : kLinks) {
        const auto schedule = make_schedule(algorithm, k);
        const EmulatedPlan plan = plan_emulation(*schedule, 1001, 4, parse_link_model(link));
        EXPECT_EQ(plan.time_s, simulate(*schedule, 1001, 4, parse_link_model(link)).time_s);
        std::size_t elements = 0;
        double last_s = 0;
        for (const auto& steps : plan.ranks)
          for (const PlannedStep& step : steps)
            for (const PlannedTransfer& t : step.incoming) {
              elements += t.elements.count;
              last_s = std::max(last_s, t.end_s);
            }
        EXPECT_EQ(elements, 2 * std::size_t(k - 1) * 1001) << algorithm;
        EXPECT_EQ(last_s, plan.time_s) << algorithm << k << link;
      }
}

// First element of the run, and who is added to it or copied into it.
using Order = std::vector<std::pair<std::size_t, int>>;

Order order_of_schedule(const Schedule& schedule, int rank, int step, std::size_t count) {
  Order order;
  for (const Transfer& t : schedule.step(step))
    if (t.dst == rank)
      order.emplace_back(
          parts_of({0, count}, std::size_t(schedule.num_chunks()), std::size_t(t.first_chunk), 1).first,
          t.src);
  return order;
}

TEST(EmulatedPlan, SumsKeepTheSchedulesOrder) {
  for (const char* algorithm : {"direct", "parameter-server:2", "star", "tree"})
    for (int k : {3, 5, 6, 7})
      for (const char* link : kLinks) {
        const auto schedule = make_schedule(algorithm, k);
        const std::size_t count = 60 * std::size_t(k);
        const EmulatedPlan plan = plan_emulation(*schedule, count, 4, parse_link_model(link));
        for (int rank = 0; rank < k; ++rank)
          for (const PlannedStep& step : plan.ranks[std::size_t(rank)]) {
            Order planned, wanted = order_of_schedule(*schedule, rank, step.step, count);
            for (const PlannedTransfer& t : step.incoming) planned.emplace_back(t.elements.first, t.src);
            const auto by_run = [](const auto& a, const auto& b) { return a.first < b.first; };
            std::stable_sort(planned.begin(), planned.end(), by_run);
            std::stable_sort(wanted.begin(), wanted.end(), by_run);
            EXPECT_EQ(planned, wanted) << algorithm << k << link << " rank " << rank;
          }
      }
}

TEST(EmulatedPlan, ARankWaitsForAllThatReadIt) {
  for (const char* link : kLinks) {
    const EmulatedPlan plan = plan_of("direct", 6, 600, link);
    for (int rank = 0; rank < 6; ++rank)
      for (const PlannedStep& step : plan.ranks[std::size_t(rank)]) {
        std::set<int> readers;
        for (const PlannedReader& reader : step.readers) readers.insert(reader.rank);
        EXPECT_EQ(readers.size(), 5u);
        EXPECT_EQ(step.readers.size(), 5u);
        EXPECT_EQ(step.incoming.size(), 5u);
      }
  }
}

}  // namespace
}  // namespace dpx
