#include "lib/measure/fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

// Sums of the least-squares problem  p u + q v = 1,  u = a / y, v = b / y.
struct Sums {
  double uu = 0, uv = 0, vv = 0, u = 0, v = 0;
  double determinant() const { return uu * vv - uv * uv; }
};

Sums sums_of(std::span<const FitPoint> points) {
  Sums s;
  for (const FitPoint& point : points) {
    const double u = point.p_times / point.y, v = point.q_times / point.y;
    s.uu += u * u;
    s.uv += u * v;
    s.vv += v * v;
    s.u += u;
    s.v += v;
  }
  return s;
}

void refuse_unless_fit(std::span<const FitPoint> points) {
  if (points.size() < kMinFitPoints)
    throw Error(Exit::check_failed, fmt::format("{} point(s) to fit two constants to; at least {} are needed",
                                                points.size(), kMinFitPoints));
  for (const FitPoint& point : points)
    if (!(point.y > 0) || !std::isfinite(point.y))
      throw Error(Exit::check_failed,
                  fmt::format("a measured time of {} s cannot be fitted: it must be above 0", point.y));
  const Sums s = sums_of(points);
  if (!(s.determinant() > 1e-12 * s.uu * s.vv))
    throw Error(Exit::check_failed,
                fmt::format("{} points of the same size: two constants need different sizes", points.size()));
}

double sum_of_squares(std::span<const FitPoint> points, double p, double q) {
  double sum = 0;
  for (const FitPoint& point : points) {
    const double error = (p * point.p_times + q * point.q_times) / point.y - 1;
    sum += error * error;
  }
  return sum;
}

Estimate estimate(double value, double half_width, bool clamped) {
  return {value, std::max(0.0, value - half_width), std::max(value, value + half_width), clamped};
}

}  // namespace

double student_t_95(std::size_t degrees_of_freedom) {
  static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                      2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
  if (degrees_of_freedom <= std::size(kTable)) return kTable[degrees_of_freedom - 1];
  return 1.960 + 2.4 / double(degrees_of_freedom);
}

Fit fit_two_costs(std::span<const FitPoint> points) {
  refuse_unless_fit(points);
  const Sums s = sums_of(points);
  double p = (s.u * s.vv - s.v * s.uv) / s.determinant();
  double q = (s.v * s.uu - s.u * s.uv) / s.determinant();
  const bool no_p = p < 0, no_q = !no_p && q < 0;
  if (no_p) p = 0, q = s.v / s.vv;
  if (no_q) q = 0, p = s.u / s.uu;
  const double variance = sum_of_squares(points, p, q) / double(points.size() - 2);
  const double t = student_t_95(points.size() - 2);
  Fit fit;
  fit.p = estimate(p, t * std::sqrt(variance * s.vv / s.determinant()), no_p);
  fit.q = estimate(q, t * std::sqrt(variance * s.uu / s.determinant()), no_q);
  fit.points = points.size();
  for (const FitPoint& point : points) {
    fit.residuals.push_back(point.y / (p * point.p_times + q * point.q_times) - 1);
    fit.max_residual = std::max(fit.max_residual, std::abs(fit.residuals.back()));
  }
  return fit;
}

Estimate reciprocal(const Estimate& x) {
  return {1 / x.value, 1 / x.high, 1 / x.low, x.clamped};
}

}  // namespace dpx
