#include "lib/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

using Wide = unsigned __int128;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMaxItems = 65536;

[[noreturn]] void refuse(std::string_view kind, std::string_view text, const std::string& why) {
  throw Error(Exit::usage, fmt::format("{} \"{}\": {}", kind, text.substr(0, 80), why));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

// Bytes that a suffix stands for; empty when it is none.
std::optional<std::int64_t> multiplier(std::string_view suffix) {
  const std::string s = lower(suffix);
  if (s.empty() || s == "b") return 1;
  const std::size_t power = std::string_view("kmgt").find(s[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(s).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
  std::int64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

// The reasons every kind of number is refused for before its digits are read.
void check_start(std::string_view kind, std::string_view text) {
  if (text.empty()) refuse(kind, text, "is empty");
  if (text.find_first_of(" \t\r\n") != std::string_view::npos) refuse(kind, text, "has a blank in it");
  if (text[0] == '-' || text[0] == '+')
    refuse(kind, text, "has a sign; only plain positive numbers are allowed");
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    refuse(kind, text, "is hexadecimal");
  if (!is_digit(text[0])) refuse(kind, text, "does not start with a digit");
}

// A decimal number as digits * 10^exponent, exactly.
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
  std::string_view rest;  // what follows the number
};

Decimal read_decimal(std::string_view text) {
  Decimal d;
  std::size_t i = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      if (i + 1 == text.size() || !is_digit(text[i + 1]))
        refuse("size", text, "has no digit after its point");
      point = true;
      continue;
    }
    if (d.digits > Wide(1) << 80) refuse("size", text, "has too many digits");
    d.digits = d.digits * 10 + Wide(text[i] - '0');
    if (point) --d.exponent;
  }
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E') && is_digit(text[i + 1])) {
    int exponent = 0;
    for (++i; i < text.size() && is_digit(text[i]); ++i)
      exponent = std::min(1000, exponent * 10 + (text[i] - '0'));
    d.exponent += exponent;
  }
  d.rest = text.substr(i);
  return d;
}

// Number and unit of a time or a rate: "1.75" and "GB/s".
std::pair<double, std::string_view> read_real(std::string_view kind, std::string_view text) {
  check_start(kind, text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(kind, text, "is out of range");
  return {value, text.substr(std::size_t(end - text.data()))};
}

// Appends the values of "first:last:xF" or "first:last:+S".
void append_range(std::string_view text, std::vector<std::int64_t>& out) {
  const std::size_t a = text.find(':'), b = text.find(':', a + 1);
  if (b == std::string_view::npos)
    refuse("range", text, "has no step; write first:last:x2 or first:last:+1K");
  const std::int64_t first = parse_bytes(text.substr(0, a)),
                     last = parse_bytes(text.substr(a + 1, b - a - 1));
  const std::string_view step_text = text.substr(b + 1);
  if (step_text.empty() || (step_text[0] != 'x' && step_text[0] != '+'))
    refuse("range", text, "has no step; write first:last:x2 or first:last:+1K");
  const bool geometric = step_text[0] == 'x';
  const std::int64_t step = parse_bytes(step_text.substr(1));
  if (last < first)
    refuse("range", text,
           fmt::format("last {} is below first {}", text.substr(a + 1, b - a - 1), text.substr(0, a)));
  if (geometric ? step < 2 || first == 0 : step < 1)
    refuse("range", text,
           geometric ? "a factor must be 2 or more and start above 0" : "a step must be 1 or more");
  for (std::int64_t value = first;;) {
    if (out.size() == kMaxItems) refuse("range", text, fmt::format("has more than {} values", kMaxItems));
    out.push_back(value);
    const Wide next = geometric ? Wide(value) * Wide(step) : Wide(value) + Wide(step);
    if (next > Wide(last)) return;
    value = std::int64_t(next);
  }
}

}  // namespace

std::int64_t parse_bytes(std::string_view text) {
  check_start("size", text);
  const Decimal d = read_decimal(text);
  const auto unit = multiplier(d.rest);
  if (!unit)
    refuse("size", text, fmt::format("unknown unit \"{}\"; write {}", d.rest.substr(0, 40), kSizeSyntax));
  if (d.digits == 0) return 0;
  Wide value = d.digits * Wide(*unit);
  for (int e = d.exponent; e > 0; --e)
    if ((value *= 10) > Wide(kMax)) refuse("size", text, fmt::format("is above {} bytes", kMax));
  for (int e = d.exponent; e < 0; ++e) {
    if (value % 10 != 0) refuse("size", text, "is no whole number of bytes");
    value /= 10;
  }
  if (value > Wide(kMax)) refuse("size", text, fmt::format("is above {} bytes", kMax));
  return std::int64_t(value);
}

double parse_seconds(std::string_view text) {
  const auto [value, unit] = read_real("time", text);
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}}};
  for (const auto& [name, per_second] : units)
    if (unit == name) return value / per_second;
  if (unit.empty()) refuse("time", text, "has no unit; write 3ns, 10us, 2ms or 1.5s");
  refuse("time", text, fmt::format("unknown unit \"{}\"; write 3ns, 10us, 2ms or 1.5s", unit.substr(0, 40)));
}

double parse_rate_Bps(std::string_view text) {
  constexpr std::string_view how = "write 5GB/s, 450GB/s or 800MB/s";
  const auto [value, unit] = read_real("rate", text);
  if (unit.empty()) refuse("rate", text, fmt::format("has no unit; {}", how));
  const bool per_second = unit.ends_with("B/s");
  const auto bytes = per_second ? multiplier(unit.substr(0, unit.size() - 2)) : std::nullopt;
  if (!bytes) refuse("rate", text, fmt::format("unknown unit \"{}\"; {}", unit.substr(0, 40), how));
  const double rate = value * double(*bytes);
  if (!std::isfinite(rate)) refuse("rate", text, "is out of range");
  if (rate == 0) refuse("rate", text, "is zero");
  return rate;
}

std::vector<std::int64_t> parse_sizes(std::string_view text) {
  std::vector<std::int64_t> out;
  if (text.empty()) refuse("list", text, "is empty");
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    if (item.empty()) refuse("list", text, "has an empty item");
    if (item.find(':') != std::string_view::npos) {
      append_range(item, out);
    } else {
      out.push_back(parse_bytes(item));
    }
    if (out.size() > kMaxItems) refuse("list", text, fmt::format("has more than {} values", kMaxItems));
    at = comma + 1;
  }
  return out;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  std::size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

namespace {

// Three significant digits without an exponent.
std::string three_digits(double value, const char* unit) {
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
}

}  // namespace

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds == 0) return "0 s";
  if (seconds < 0) return fmt::format("-{}", format_seconds(-seconds));
  if (seconds < 0.9995e-6) return three_digits(seconds * 1e9, "ns");
  if (seconds < 0.9995e-3) return three_digits(seconds * 1e6, "us");
  if (seconds < 0.9995) return three_digits(seconds * 1e3, "ms");
  return three_digits(seconds, "s");
}

std::string format_rate(double bytes_per_second) {
  if (!std::isfinite(bytes_per_second)) return "n/a";
  if (bytes_per_second > 0 && bytes_per_second < 0.9995e6)
    return three_digits(bytes_per_second / 1e3, "KB/s");
  if (bytes_per_second > 0 && bytes_per_second < 0.9995e9)
    return three_digits(bytes_per_second / 1e6, "MB/s");
  return three_digits(bytes_per_second / 1e9, "GB/s");
}

}  // namespace dpx
