#include "lib/measure/fits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/core/philox.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

constexpr double kShards[] = {32, 64, 128, 256, 512};

/// t0 + c b at kShards; `noise` multiplies each by up to 1 +- noise.
std::vector<FitPoint> planted(double t0, double c, double noise = 0, std::uint64_t seed = 0) {
  std::vector<FitPoint> points;
  for (const double b : kShards) {
    const double uniform = philox_normal(seed, 7, points.size());
    points.push_back({1, b, (t0 + c * b) * (1 + noise * uniform)});
  }
  return points;
}

TEST(Fit, PlantedConstantsAreFoundExactly) {
  const Fit fit = fit_two_costs(planted(2e-3, 2e-4));
  EXPECT_NEAR(fit.p.value, 2e-3, 1e-12);
  EXPECT_NEAR(fit.q.value, 2e-4, 1e-14);
  EXPECT_LT(fit.max_residual, 1e-9);
  EXPECT_EQ(fit.points, 5u);
  EXPECT_NEAR(fit.p.high - fit.p.low, 0, 1e-9);
}

TEST(Fit, IntervalsHoldThePlantedConstantsMostOfTheTime) {
  int p_inside = 0, q_inside = 0;
  constexpr int kRuns = 400;
  for (int seed = 0; seed < kRuns; ++seed) {
    const Fit fit = fit_two_costs(planted(2e-3, 2e-4, 0.01, std::uint64_t(seed)));
    p_inside += fit.p.low <= 2e-3 && 2e-3 <= fit.p.high;
    q_inside += fit.q.low <= 2e-4 && 2e-4 <= fit.q.high;
    EXPECT_NEAR(fit.q.value, 2e-4, 0.1 * 2e-4);
  }
  // 95 % of 400 are 380; four standard deviations are 17.
  for (const int inside : {p_inside, q_inside}) {
    EXPECT_GE(inside, 363);
    EXPECT_LE(inside, 397);
  }
}

TEST(Fit, AlphaAndBetaOfMixedWorldSizes) {
  std::vector<FitPoint> points;  // a ring: 2(k-1) starts, 2(k-1)/k N bytes
  for (const int k : {2, 3, 4, 8})
    for (const double bytes : {1e3, 1e5, 1e7})
      points.push_back({2.0 * (k - 1), 2.0 * (k - 1) / k * bytes,
                        2.0 * (k - 1) * 10e-6 + 2.0 * (k - 1) / k * bytes / 20e9});
  const Fit fit = fit_two_costs(points);
  EXPECT_NEAR(fit.p.value, 10e-6, 1e-12);
  const Estimate beta = reciprocal(fit.q);
  EXPECT_NEAR(beta.value, 20e9, 1e2);
  EXPECT_LE(beta.low, beta.value);
  EXPECT_GE(beta.high, beta.value);
}

TEST(Fit, SmallSizesCountAsMuchAsLargeOnes) {
  std::vector<FitPoint> points = planted(1e-3, 1e-4);
  points.back().y *= 1.05;  // 2.6 ms of the largest are 2.6 times the offset
  EXPECT_NEAR(fit_two_costs(points).p.value, 1e-3, 0.2e-3);
}

TEST(Fit, ConstantsAreNeverNegative) {
  const Fit no_offset = fit_two_costs(planted(-1e-3, 2e-4));
  EXPECT_EQ(no_offset.p.value, 0);
  EXPECT_TRUE(no_offset.p.clamped);
  EXPECT_EQ(no_offset.p.low, 0);
  EXPECT_GT(no_offset.p.high, 0);
  EXPECT_GT(no_offset.q.value, 0);
  const Fit no_slope = fit_two_costs(std::vector<FitPoint>{{1, 1, 3e-3}, {1, 2, 2.9e-3}, {1, 4, 2.8e-3}});
  EXPECT_EQ(no_slope.q.value, 0);
  EXPECT_TRUE(no_slope.q.clamped);
  EXPECT_NEAR(no_slope.p.value, 2.9e-3, 1e-4);
  EXPECT_TRUE(std::isinf(reciprocal(no_slope.q).value));
}

TEST(Fit, TooLittleToFitIsRefusedWithTheCounts) {
  const std::vector<FitPoint> two{{1, 32, 1e-3}, {1, 64, 2e-3}};
  EXPECT_TRUE(has(error_of([&] { fit_two_costs(two); }, Exit::check_failed), "2 point(s)", "at least 3"));
  const std::vector<FitPoint> same{{1, 32, 1e-3}, {1, 32, 2e-3}, {1, 32, 1.5e-3}};
  EXPECT_TRUE(has(error_of([&] { fit_two_costs(same); }, Exit::check_failed), "3 points of the same size"));
  const std::vector<FitPoint> zero{{1, 32, 1e-3}, {1, 64, 0}, {1, 128, 1.5e-3}};
  EXPECT_TRUE(has(error_of([&] { fit_two_costs(zero); }, Exit::check_failed), "above 0"));
}

TEST(Fit, StudentQuantiles) {
  EXPECT_NEAR(student_t_95(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_95(10), 2.228, 1e-3);
  EXPECT_NEAR(student_t_95(31), 2.0395, 3e-3);
  EXPECT_NEAR(student_t_95(100), 1.984, 2e-3);
}

}  // namespace
}  // namespace dpx
