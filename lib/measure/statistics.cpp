#include "lib/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dpx {
namespace {

// NaN has no place in an order: numbers about such samples are NaN as a whole.
bool has_nan(std::span<const double> samples) {
  return std::any_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); });
}

double percentile_of_sorted(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return Summary::kNone;
  const double rank = std::clamp(p, 0.0, 100.0) / 100 * double(sorted.size() - 1);
  const std::size_t low = std::size_t(rank), high = std::min(low + 1, sorted.size() - 1);
  const double weight = rank - double(low);
  // Equal neighbours are answered exactly, also when they are infinite.
  return weight == 0 || sorted[low] == sorted[high] ? sorted[low]
                                                    : sorted[low] + weight * (sorted[high] - sorted[low]);
}

}  // namespace

double percentile(std::span<const double> samples, double p) {
  if (has_nan(samples)) return Summary::kNone;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return percentile_of_sorted(sorted, p);
}

Summary summarize(std::span<const double> samples) {
  Summary out;
  out.n = samples.size();
  if (samples.empty() || has_nan(samples)) return out;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = double(sorted.size());
  out.min = sorted.front();
  out.max = sorted.back();
  out.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  out.median = percentile_of_sorted(sorted, 50);
  out.p95 = percentile_of_sorted(sorted, 95);
  out.p99 = percentile_of_sorted(sorted, 99);
  if (sorted.size() < 2 || out.mean == 0) return out;
  double squares = 0;
  for (const double x : sorted) squares += (x - out.mean) * (x - out.mean);
  out.cv = std::sqrt(squares / (n - 1)) / out.mean;
  return out;
}

}  // namespace dpx
