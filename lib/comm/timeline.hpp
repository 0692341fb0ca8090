#pragma once
// Timeline: when a port is busy, as sorted intervals that do not touch.
#include <vector>

namespace dpx {

class Timeline {
 public:
  /// Earliest start at or after `from_s` of a gap that lasts `duration_s`.
  double first_fit(double from_s, double duration_s) const {
    return busy_.empty() ? from_s : first_gap(from_s, duration_s);
  }
  /// Marks a gap found with first_fit as busy.
  void occupy(double start_s, double end_s) {
    if (busy_.empty())
      busy_.push_back({start_s, end_s});
    else
      insert(start_s, end_s);
  }
  /// Drops what lies before `time_s`, where nothing will be placed any more.
  void forget_before(double time_s);
  void clear() { busy_.clear(); }

 private:
  struct Interval {
    double start_s, end_s;
  };
  double first_gap(double from_s, double duration_s) const;
  void insert(double start_s, double end_s);
  std::vector<Interval> busy_;
};

}  // namespace dpx
