#include "lib/comm/timeline.hpp"

#include <algorithm>

namespace dpx {
namespace {
// Sums of durations round; a gap may be this fraction of the transfer too short.
constexpr double kSlack = 1e-9;
}  // namespace

double Timeline::first_gap(double from_s, double duration_s) const {
  if (busy_.back().end_s <= from_s) return from_s;
  auto next = std::partition_point(busy_.begin(), busy_.end(),
                                   [=](const Interval& busy) { return busy.end_s <= from_s; });
  const double slack = kSlack * duration_s;
  for (; next != busy_.end(); ++next) {
    if (from_s + duration_s <= next->start_s + slack) break;
    from_s = std::max(from_s, next->end_s);
  }
  return from_s;
}

void Timeline::insert(double start_s, double end_s) {
  const double slack = kSlack * (end_s - start_s);
  const auto next = std::partition_point(busy_.begin(), busy_.end(),
                                         [=](const Interval& busy) { return busy.start_s < start_s; });
  const bool after = next != busy_.begin() && (next - 1)->end_s + slack >= start_s;
  const bool before = next != busy_.end() && next->start_s <= end_s + slack;
  if (after && before) {
    (next - 1)->end_s = next->end_s;
    busy_.erase(next);
  } else if (after) {
    (next - 1)->end_s = end_s;
  } else if (before) {
    next->start_s = start_s;
  } else {
    busy_.insert(next, {start_s, end_s});
  }
}

void Timeline::forget_before(double time_s) {
  const auto keep = std::partition_point(busy_.begin(), busy_.end(),
                                         [=](const Interval& busy) { return busy.end_s <= time_s; });
  busy_.erase(busy_.begin(), keep);
}

}  // namespace dpx
