// The tracer must see every kind of broken schedule.
#include "lib/comm/trace_link.hpp"

#include <gtest/gtest.h>

namespace dpx {
namespace {

TraceLink run(int k, int chunks, const std::vector<std::vector<Transfer>>& steps) {
  TraceLink trace(k, chunks);
  for (const auto& step : steps) {
    for (const Transfer& t : step) trace.transfer(t, {0, 1});
    trace.end_step();
  }
  return trace;
}

TEST(TraceLink, AcceptsAStarOfThree) {
  const TraceLink trace = run(3, 1,
                              {{{1, 0, 0, 1, Op::accumulate}, {2, 0, 0, 1, Op::accumulate}},
                               {{0, 1, 0, 1, Op::copy}, {0, 2, 0, 1, Op::copy}}});
  EXPECT_TRUE(trace.violations().empty());
  EXPECT_TRUE(trace.complete(0));
  EXPECT_EQ(trace.contributions(2, 0), 3);
}

TEST(TraceLink, SeesALostContribution) {
  const TraceLink trace =
      run(3, 1, {{{1, 0, 0, 1, Op::accumulate}}, {{0, 1, 0, 1, Op::copy}, {0, 2, 0, 1, Op::copy}}});
  EXPECT_FALSE(trace.complete(0));
  EXPECT_EQ(trace.held(0, 0, 2), 0);
}

TEST(TraceLink, SeesADoubledContribution) {
  const TraceLink trace =
      run(2, 1, {{{1, 0, 0, 1, Op::accumulate}, {1, 0, 0, 1, Op::accumulate}}, {{0, 1, 0, 1, Op::copy}}});
  EXPECT_FALSE(trace.complete(0));
  EXPECT_EQ(trace.held(0, 0, 1), 2);
}

TEST(TraceLink, SeesACellReadAndWrittenInOneStep) {
  const TraceLink trace = run(2, 1, {{{1, 0, 0, 1, Op::accumulate}, {0, 1, 0, 1, Op::copy}}});
  ASSERT_FALSE(trace.violations().empty());
  EXPECT_NE(trace.violations().front().find("both read and written"), std::string::npos);
}

TEST(TraceLink, SeesTransfersOutOfRange) {
  for (const Transfer& bad : {Transfer{0, 0, 0, 1, Op::copy}, Transfer{0, 2, 0, 1, Op::copy},
                              Transfer{0, 1, 1, 1, Op::copy}, Transfer{0, 1, 0, 0, Op::copy}})
    EXPECT_EQ(run(2, 1, {{bad}}).violations().size(), 1u);
}

TEST(Star, HubCarriesAllTraffic) {
  const auto star = make_schedule("star", 4);
  TraceLink trace(4, star->num_chunks());
  walk(*star, {0, 1000}, trace);
  EXPECT_EQ(trace.received_by(0).elements, 3000);
  EXPECT_EQ(trace.sent_by(0).elements, 3000);
  EXPECT_EQ(trace.sent_by(3).elements, 1000);
  EXPECT_EQ(trace.sent_by(0).messages + trace.received_by(0).messages, 6);
}

TEST(Star, UnknownAlgorithmNamesTheKnownOnes) {
  try {
    make_schedule("rign", 2);
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("star"), std::string::npos);
  }
}

}  // namespace
}  // namespace dpx
