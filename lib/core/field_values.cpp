#include "lib/core/field_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx::values {
namespace {

std::string quoted(const std::string& text) {
  return found(Json(text));
}

std::int64_t in_bounds(std::int64_t value, IntBounds bounds, const std::string& found) {
  if (value < bounds.min || value > bounds.max) refuse(found, "is out of range");
  return value;
}

double in_bounds(double value, RealBounds bounds, const std::string& found) {
  if (!std::isfinite(value)) refuse(found, "is not a finite number");
  if (value < bounds.min || value > bounds.max || (bounds.above && value == bounds.min))
    refuse(found, "is out of range");
  return value;
}

}  // namespace

std::string found(const Json& value) {
  std::string out = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (out.size() > 60) out = out.substr(0, 57) + "...";
  return out;
}

void refuse(const std::string& found, const std::string& why) {
  throw Error(Exit::usage, found + " " + why);
}

std::int64_t integer(const std::string& text, IntBounds bounds) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && stop == end) refuse(quoted(text), "is out of range");
  if (error != std::errc{} || stop != end) refuse(quoted(text), "is not a whole number");
  return in_bounds(value, bounds, quoted(text));
}

std::int64_t integer(const Json& value, IntBounds bounds) {
  if (value.is_number_float()) {
    const bool huge = std::abs(value.get<double>()) >= 0x1p63;
    refuse(found(value),
           huge ? "is out of range" : "is not a whole number (write it without point and exponent)");
  }
  if (!value.is_number_integer()) refuse(found(value), "is not a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(INT64_MAX))
    refuse(found(value), "is out of range");
  return in_bounds(value.get<std::int64_t>(), bounds, found(value));
}

double real(const std::string& text, RealBounds bounds) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && stop == end) refuse(quoted(text), "is out of range");
  if (error != std::errc{} || stop != end) refuse(quoted(text), "is not a number");
  return in_bounds(value, bounds, quoted(text));
}

double real(const Json& value, RealBounds bounds) {
  if (!value.is_number()) refuse(found(value), "is not a number");
  return in_bounds(value.get<double>(), bounds, found(value));
}

std::int64_t bytes(const std::string& text, IntBounds bounds) {
  return in_bounds(parse_bytes(text), bounds, quoted(text));
}

std::int64_t bytes(const Json& value, IntBounds bounds) {
  return value.is_string() ? bytes(value.get<std::string>(), bounds) : integer(value, bounds);
}

std::vector<std::int64_t> integers(const std::string& text, IntBounds bounds) {
  const auto out = parse_sizes(text);
  for (const std::int64_t value : out) in_bounds(value, bounds, std::to_string(value));
  return out;
}

std::vector<std::int64_t> integers(const Json& value, IntBounds bounds) {
  if (value.is_string()) return integers(value.get<std::string>(), bounds);
  if (!value.is_array()) return {integer(value, bounds)};
  std::vector<std::int64_t> out;
  for (const Json& item : value) out.push_back(bytes(item, bounds));
  if (out.empty()) refuse("[]", "is empty");
  return out;
}

std::string choice(const std::string& value, const std::vector<std::string>& known) {
  for (const std::string& name : known)
    if (name == value) return value;
  const std::string close = nearest(value, known);
  refuse(quoted(value), close.empty() ? "is not known" : "is not known; did you mean \"" + close + "\"?");
}

std::vector<std::string> choices(const std::string& text, const std::vector<std::string>& known) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = choice(text.substr(at, comma - at), known);
    for (const std::string& before : out)
      if (before == item) refuse(quoted(text), "names \"" + item + "\" twice");
    out.push_back(item);
    at = comma + 1;
  }
  return out;
}

std::string text(const Json& value) {
  if (!value.is_string()) refuse(found(value), "is not a text");
  return value.get<std::string>();
}

std::vector<std::string> texts(const Json& value) {
  if (!value.is_array()) refuse(found(value), "is not a list of texts");
  std::vector<std::string> out;
  for (const Json& item : value) out.push_back(text(item));
  return out;
}

bool on_off(const std::string& text) {
  if (text == "on" || text == "true") return true;
  if (text == "off" || text == "false") return false;
  refuse(quoted(text), "is neither on nor off");
}

bool on_off(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return on_off(value.get<std::string>());
  refuse(found(value), "is neither on nor off");
}

std::string allowed(IntBounds bounds) {
  return fmt::format("{}..{}", bounds.min, bounds.max);
}

std::string allowed(RealBounds bounds) {
  const bool has_min = std::isfinite(bounds.min), has_max = std::isfinite(bounds.max);
  if (!has_min) return has_max ? fmt::format("finite, at most {}", bounds.max) : "finite";
  if (bounds.above)
    return fmt::format("above {}", bounds.min) + (has_max ? fmt::format(", at most {}", bounds.max) : "");
  return has_max ? fmt::format("{}..{}", bounds.min, bounds.max) : fmt::format("{} or more", bounds.min);
}

}  // namespace dpx::values
