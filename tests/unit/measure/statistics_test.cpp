#include "lib/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dpx {
namespace {

TEST(Statistics, SummarizesInAnyOrder) {
  const std::vector<double> samples{4, 1, 3, 2};
  const Summary s = summarize(samples);
  EXPECT_EQ(s.n, 4u);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.mean, 2.5);
  EXPECT_DOUBLE_EQ(s.p95, 3.85);
  EXPECT_DOUBLE_EQ(s.p99, 3.97);
  EXPECT_DOUBLE_EQ(s.max, 4);
  EXPECT_DOUBLE_EQ(s.cv, std::sqrt(5.0 / 3) / 2.5);
}

TEST(Statistics, LeavesOutWhatTooFewSamplesCannotTell) {
  const Summary none = summarize({});
  EXPECT_EQ(none.n, 0u);
  for (const double x : {none.min, none.median, none.mean, none.p95, none.p99, none.max, none.cv})
    EXPECT_TRUE(std::isnan(x));
  const std::vector<double> one{7};
  EXPECT_DOUBLE_EQ(summarize(one).p99, 7);
  EXPECT_TRUE(std::isnan(summarize(one).cv));
  EXPECT_TRUE(std::isnan(summarize(std::vector<double>{-1, 1}).cv));
  EXPECT_EQ(summarize(std::vector<double>{2, 2, 2}).cv, 0);
}

TEST(Statistics, DoNotHideNaN) {
  const std::vector<double> samples{1, std::nan(""), 3};
  EXPECT_EQ(summarize(samples).n, 3u);
  EXPECT_TRUE(std::isnan(summarize(samples).median));
  EXPECT_TRUE(std::isnan(percentile(samples, 50)));
}

TEST(Statistics, InterpolateBetweenNeighbours) {
  const std::vector<double> samples{10, 20, 30};
  EXPECT_DOUBLE_EQ(percentile(samples, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(samples, 25), 15);
  EXPECT_DOUBLE_EQ(percentile(samples, 50), 20);
  EXPECT_DOUBLE_EQ(percentile(samples, 100), 30);
  EXPECT_TRUE(std::isnan(percentile({}, 50)));
}

}  // namespace
}  // namespace dpx
