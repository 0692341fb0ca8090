// The chapter's figure of the ring at k = 4, every cell and every transfer.
#include <gtest/gtest.h>

#include "lib/comm/counting_link.hpp"
#include "lib/comm/schedule_trace.hpp"

namespace dpx {
namespace {

using Rows = std::vector<std::vector<int>>;

ScheduleTrace trace_of(const std::string& algorithm, int k, std::size_t count) {
  return trace_schedule(*make_schedule(algorithm, k), count);
}

TEST(RingFigure, EveryCellOfEveryStep) {
  const std::vector<std::pair<std::string, Rows>> figure = {
      {"start", {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}},
      {"RS1", {{1, 1, 2, 1}, {1, 1, 1, 2}, {2, 1, 1, 1}, {1, 2, 1, 1}}},
      {"RS2", {{1, 3, 2, 1}, {1, 1, 3, 2}, {2, 1, 1, 3}, {3, 2, 1, 1}}},
      {"RS3", {{4, 3, 2, 1}, {1, 4, 3, 2}, {2, 1, 4, 3}, {3, 2, 1, 4}}},
      {"AG1", {{4, 3, 2, 4}, {4, 4, 3, 2}, {2, 4, 4, 3}, {3, 2, 4, 4}}},
      {"AG2", {{4, 3, 4, 4}, {4, 4, 3, 4}, {4, 4, 4, 3}, {3, 4, 4, 4}}},
      {"AG3", {{4, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 4, 4}}}};
  const ScheduleTrace trace = trace_of("ring", 4, 16);
  ASSERT_EQ(trace.steps.size(), figure.size());
  for (std::size_t s = 0; s < figure.size(); ++s) {
    EXPECT_EQ(trace.steps[s].name, figure[s].first);
    EXPECT_EQ(trace.steps[s].contributions, figure[s].second) << figure[s].first;
  }
  EXPECT_EQ(trace.owners, (std::vector<int>{0, 1, 2, 3})) << "device i owns chunk i";
  EXPECT_TRUE(trace.violations.empty());
  EXPECT_EQ(trace.incomplete_chunks, 0);
}

TEST(RingFigure, EachDeviceSendsSixChunksToItsNeighbour) {
  const ScheduleTrace trace = trace_of("ring", 4, 16);
  std::vector<int> sent(4, 0);
  for (const TracedStep& step : trace.steps)
    for (const auto& [transfer, elements] : step.transfers) {
      EXPECT_EQ(transfer.dst, (transfer.src + 1) % 4);
      EXPECT_EQ(transfer.num_chunks, 1);
      EXPECT_EQ(elements.count, 4u);
      ++sent[std::size_t(transfer.src)];
    }
  EXPECT_EQ(sent, std::vector<int>(4, 6));
}

TEST(RingFigure, PrintedSideBySide) {
  const std::string text = format_trace(trace_of("ring", 4, 16));
  EXPECT_NE(text.find("step   device 0   device 1   device 2   device 3"), std::string::npos) << text;
  EXPECT_NE(text.find("       a b c d    a b c d    a b c d    a b c d"), std::string::npos) << text;
  EXPECT_NE(text.find("RS3    4 3 2 1    1 4 3 2    2 1 4 3    3 2 1 4"), std::string::npos) << text;
}

TEST(RingFigure, WideTablesHaveABlockPerStep) {
  const std::string text = format_trace(trace_of("ring", 16, 16));
  EXPECT_NE(text.find("AG15"), std::string::npos);
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 110u);
}

TEST(RingFigure, EmptyChunksAreMarked) {
  const std::string text = format_trace(trace_of("ring", 4, 2));
  EXPECT_NE(text.find("start  1 1 - -    1 1 - -"), std::string::npos) << text;
  EXPECT_NE(text.find("AG3    4 4 - -    4 4 - -    4 4 - -    4 4 - -\n"), std::string::npos) << text;
}

TEST(ScheduleTrace, StepsOfOtherAlgorithmsHaveTheirWords) {
  const auto names = [](const std::string& algorithm) {
    std::vector<std::string> all;
    for (const TracedStep& step : trace_of(algorithm, 4, 16).steps) all.push_back(step.name);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("star"), (Names{"start", "reduce", "spread"}));
  EXPECT_EQ(names("tree"), (Names{"start", "up 1", "up 2", "down 1", "down 2"}));
  EXPECT_EQ(names("halving-doubling"), (Names{"start", "halve 1", "halve 2", "double 1", "double 2"}));
  EXPECT_EQ(names("direct"), (Names{"start", "push", "pull"}));
  EXPECT_EQ(names("parameter-server:2"), (Names{"start", "push", "pull"}));
}

TEST(ScheduleTrace, UnevenAndEmptyChunks) {
  const auto sizes = [](int k, std::size_t count) {
    std::vector<std::size_t> all;
    for (const Range& chunk : trace_of("ring", k, count).chunks) all.push_back(chunk.count);
    return all;
  };
  EXPECT_EQ(sizes(4, 10), (std::vector<std::size_t>{3, 3, 2, 2}));
  EXPECT_EQ(sizes(3, 7), (std::vector<std::size_t>{3, 2, 2}));
  EXPECT_EQ(sizes(4, 2), (std::vector<std::size_t>{1, 1, 0, 0}));
  EXPECT_EQ(trace_of("ring", 4, 2).incomplete_chunks, 0) << "an empty chunk needs no contribution";
}

TEST(CountingLink, AgreesWithTheTable) {
  const auto ring = make_schedule("ring", 4);
  CountingLink first(4), second(4);
  FanOut both({&first, &second});
  walk(*ring, {0, 10}, both);
  for (const CountingLink* link : {&first, &second}) {
    std::int64_t sent = 0, received = 0;
    for (const RankTraffic& rank : link->ranks()) {
      EXPECT_EQ(rank.messages_sent, 6);
      EXPECT_EQ(rank.messages_received, 6);
      sent += rank.elements_sent;
      received += rank.elements_received;
    }
    EXPECT_EQ(sent, 60);
    EXPECT_EQ(received, 60);
  }
}

}  // namespace
}  // namespace dpx
