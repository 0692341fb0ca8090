#pragma once
// Numbers in tables and records; `dpx model`, `scaling-sweep` and `explain` share them.
#include <optional>
#include <string>

#include "lib/core/fields.hpp"

namespace dpx {

/// Four significant digits in powers of 1000, as both sources count: "15.72 MB".
std::string decimal_bytes(double bytes);
/// Four significant digits, without an exponent below 10^15.
std::string four_digits(double value);
/// Numbers of parameters as people write them: "129068", "11.2e6", "70e9".
std::string parameters(double count);
/// "17.28 GB/s"
std::string rate_text(double rate_Bps);
/// A whole number where it is one.
Json json_bytes(double bytes);
/// "31.4 %"
std::string percent(double share);
/// GB/s (10^9 bytes/s) without unit; "n/a" when empty.
std::string in_GBps(std::optional<double> rate_Bps);
/// "31 %"
std::string whole_percent(double share);
/// "+31.4 %"
std::string signed_percent(double share);
/// In GB/s; null when empty.
Json json_GBps(std::optional<double> rate_Bps);
Json json_or_null(std::optional<double> value);

/// One unit for all times of a table, chosen by the largest, so that columns can be compared and added.
class TimeUnit {
 public:
  explicit TimeUnit(double largest_s);
  /// "time (ms)"
  std::string header(const std::string& name) const { return name + " (" + unit_ + ")"; }
  std::string cell(double seconds) const;

 private:
  const char* unit_;
  double per_second_;
  int digits_;
};

}  // namespace dpx
