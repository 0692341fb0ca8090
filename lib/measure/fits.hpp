#pragma once
// Fits of y = p a + q b, the form of every cost here: a start cost and a cost per unit, each paid so often.
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace dpx {

/// One measured cost: p is paid `p_times` (an offset: 1), q is paid `q_times` (a slope: x). Measured y > 0.
struct FitPoint {
  double p_times, q_times, y;
};

/// A constant with its 95 % confidence interval. Constants of cost are not negative: one whose best value
/// would be is 0, and `clamped`.
struct Estimate {
  double value = 0, low = 0, high = 0;
  bool clamped = false;
};

struct Fit {
  Estimate p, q;
  std::vector<double> residuals;  ///< measured / fitted - 1, in the order of the points
  double max_residual = 0;        ///< the largest of them in magnitude
  std::size_t points = 0;
};

/// The fewest points that leave something to judge a fit of two constants by.
inline constexpr std::size_t kMinFitPoints = 3;

/// Least squares of the relative errors (p a + q b) / y - 1, so that small sizes count as much as large ones.
/// Intervals from Student's t with n - 2 degrees of freedom: they tell scatter about the line, be it noise or
/// a cost that is no line. Give it medians: a point held up by the machine is then no outlier.
/// Errors: Exit::check_failed with the counts: fewer than kMinFitPoints points, all with the same a : b, or a
/// y that is not above 0.
Fit fit_two_costs(std::span<const FitPoint> points);

/// Two-sided 95 % quantile of Student's t: 12.71 for 1 degree of freedom, 1.96 for infinitely many.
double student_t_95(std::size_t degrees_of_freedom);

/// 1 / x with the ends of its interval exchanged: a time per byte as a rate. 1 / 0 is infinite.
Estimate reciprocal(const Estimate& x);

}  // namespace dpx
