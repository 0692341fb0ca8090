#pragma once
// Order statistics of repeated measurements.
#include <cstddef>
#include <limits>
#include <span>

namespace dpx {

/// What a record keeps of n samples; the numbers are NaN (null in JSON) where there are too few samples for
/// them.
struct Summary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::size_t n = 0;
  double min = kNone, median = kNone, mean = kNone, p95 = kNone, p99 = kNone, max = kNone;
  double cv = kNone;  ///< standard deviation (n - 1) / mean; needs two samples and a mean other than 0
};

/// Summary of `samples` in any order.
Summary summarize(std::span<const double> samples);

/// Percentile `p` in [0, 100] of `samples` in any order, linear between neighbours; NaN when empty.
double percentile(std::span<const double> samples, double p);

}  // namespace dpx
