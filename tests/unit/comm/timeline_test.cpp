#include "lib/comm/timeline.hpp"

#include <gtest/gtest.h>

namespace dpx {
namespace {

TEST(Timeline, AnIdlePortIsFreeAtOnce) {
  EXPECT_EQ(Timeline().first_fit(3, 10), 3);
}

TEST(Timeline, FindsTheFirstGapThatIsLongEnough) {
  Timeline port;
  port.occupy(0, 1);
  port.occupy(2, 3);
  port.occupy(6, 7);
  EXPECT_EQ(port.first_fit(0, 1), 1);
  EXPECT_EQ(port.first_fit(0, 2), 3);
  EXPECT_EQ(port.first_fit(0, 4), 7);
  EXPECT_EQ(port.first_fit(1.5, 1), 3);
  EXPECT_EQ(port.first_fit(2.5, 3), 3);
  EXPECT_EQ(port.first_fit(9, 1), 9);
}

TEST(Timeline, NeighboursMerge) {
  Timeline port;
  port.occupy(0, 1);
  port.occupy(2, 3);
  port.occupy(1, 2);
  EXPECT_EQ(port.first_fit(0, 0.5), 3);
  port.occupy(4, 5);
  port.occupy(3.5, 4);
  EXPECT_EQ(port.first_fit(3, 0.5), 3);
  EXPECT_EQ(port.first_fit(3, 0.6), 5);
}

TEST(Timeline, GapsMayBeShortByRounding) {
  Timeline port;
  port.occupy(0.3, 0.4);
  EXPECT_EQ(port.first_fit(0.2, 0.1), 0.2) << "0.2 + 0.1 is above 0.3 in doubles";
}

TEST(Timeline, ForgetsThePast) {
  Timeline port;
  port.occupy(0, 1);
  port.occupy(2, 3);
  port.forget_before(2.5);
  EXPECT_EQ(port.first_fit(0, 1), 0);
  EXPECT_EQ(port.first_fit(2, 1), 3);
}

}  // namespace
}  // namespace dpx
