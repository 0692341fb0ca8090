#include "apps/commands/model/format.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dpx {

std::string four_digits(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string decimal_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "n/a";
  const char* const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.95 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string parameters(double count) {
  int exponent = 0;
  for (; count >= 1e6 || (exponent > 0 && count >= 1e3); exponent += 3) count /= 1000;
  return exponent == 0 ? fmt::format("{:.0f}", count) : fmt::format("{:.4g}e{}", count, exponent);
}

std::string rate_text(double rate_Bps) {
  return fmt::format("{:.4g} GB/s", rate_Bps / 1e9);
}

Json json_bytes(double bytes) {
  return std::abs(bytes) < 0x1p53 && bytes == std::floor(bytes) ? Json(std::int64_t(bytes)) : Json(bytes);
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", share * 100) : "n/a";
}

std::string whole_percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", share * 100) : "n/a";
}

std::string signed_percent(double share) {
  if (std::abs(share) < 0.0005) share = 0;  // no "-0.0 %"
  return std::isfinite(share) ? fmt::format("{:+.1f} %", share * 100) : "n/a";
}

std::string in_GBps(std::optional<double> rate_Bps) {
  return rate_Bps ? fmt::format("{:.2f}", *rate_Bps / 1e9) : "n/a";
}

Json json_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

Json json_GBps(std::optional<double> rate_Bps) {
  return rate_Bps ? Json(*rate_Bps / 1e9) : Json();
}

TimeUnit::TimeUnit(double largest_s) : unit_("us"), per_second_(1e6) {
  if (largest_s >= 1) {
    unit_ = "s";
    per_second_ = 1;
  } else if (largest_s >= 1e-3) {
    unit_ = "ms";
    per_second_ = 1e3;
  }
  const double largest = largest_s * per_second_;
  digits_ = largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
}

std::string TimeUnit::cell(double seconds) const {
  return std::isfinite(seconds) ? fmt::format("{:.{}f}", seconds * per_second_, digits_) : "n/a";
}

}  // namespace dpx
