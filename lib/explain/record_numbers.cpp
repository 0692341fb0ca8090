#include "lib/explain/record_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lib/core/error.hpp"

namespace dpx {

RecordNumbers::RecordNumbers(Json json, std::string where, std::string place)
    : json_(std::move(json)), where_(std::move(where)), place_(std::move(place)) {
  if (!json_.is_object()) refuse(place_.empty() ? "is no record" : place_ + " is no object");
}

void RecordNumbers::refuse(const std::string& why) const {
  throw Error(Exit::usage, fmt::format("{}: {}", where_, why));
}

void RecordNumbers::refuse_member(const std::string& name, const std::string& why) const {
  refuse(fmt::format("{}{}{} {}", place_, place_.empty() ? "" : ".", name, why));
}

const Json& RecordNumbers::find(const std::string& name) const {
  const auto found = json_.find(name);
  if (found == json_.end() || found->is_null()) refuse_member(name, "is missing");
  return *found;
}

double RecordNumbers::number(const std::string& name) const {
  const Json& value = find(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse_member(name, "is no number");
  return value.get<double>();
}

double RecordNumbers::positive(const std::string& name) const {
  const double value = number(name);
  if (!(value > 0)) refuse_member(name, fmt::format("is {}, not above 0", value));
  return value;
}

int RecordNumbers::count(const std::string& name, int max) const {
  const double value = number(name);
  if (value < 1 || value > max || value != std::floor(value))
    refuse_member(name, fmt::format("is {}, not a whole number from 1 to {}", value, max));
  return int(value);
}

double RecordNumbers::number_or(const std::string& name, double fallback) const {
  return json_.contains(name) && !json_.at(name).is_null() ? number(name) : fallback;
}

std::optional<double> RecordNumbers::maybe(const std::string& name) const {
  if (!json_.contains(name) || json_.at(name).is_null()) return std::nullopt;
  if (json_.at(name).is_object()) return object(name).maybe("value");
  return number(name);
}

std::string RecordNumbers::text(const std::string& name) const {
  const Json& value = find(name);
  if (!value.is_string()) refuse_member(name, "is no text");
  return value.get<std::string>();
}

RecordNumbers RecordNumbers::object(const std::string& name) const {
  return {find(name), where_, place_.empty() ? name : place_ + "." + name};
}

std::vector<RecordNumbers> RecordNumbers::objects(const std::string& name) const {
  const Json& list = find(name);
  if (!list.is_array()) refuse_member(name, "is no list");
  std::vector<RecordNumbers> out;
  for (const Json& item : list) out.emplace_back(item, where_, fmt::format("{}[{}]", name, out.size()));
  return out;
}

std::vector<double> RecordNumbers::numbers(const std::string& name) const {
  std::vector<double> out;
  if (!json_.contains(name)) return out;
  if (!json_.at(name).is_array()) refuse_member(name, "is no list");
  for (const Json& item : json_.at(name)) {
    if (!item.is_number()) refuse_member(name, "holds something that is no number");
    out.push_back(item.get<double>());
  }
  return out;
}

}  // namespace dpx
