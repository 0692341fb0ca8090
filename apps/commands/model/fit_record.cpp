#include "apps/commands/model/fit_record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/commands/model/format.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"
#include "lib/record/read_record.hpp"

namespace dpx {
namespace {

struct Constant {
  const char *key, *flag;
  double min;
  bool zero_allowed;
};

constexpr Constant kConstants[] = {
    {"alpha_s", "alpha", 0, true},
    {"beta_Bps", "beta", 0, false},
    {"t0_s", "t0", 0, true},
    {"c_s_per_example", "c", 0, true},
    {"backward_s", "backward", 0, true},
    {"num_params", "params", 1, false},
    {"batch", "batch", 1, false},
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Exit::usage, fmt::format("--from {}: {}", path, why));
}

double value_of(const Json& entry, const Constant& constant, const std::string& path) {
  const Json& value = entry.is_object() && entry.contains("value") ? entry["value"] : entry;
  if (!value.is_number()) refuse(path, fmt::format("verdict.fit.{} is no number", constant.key));
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < constant.min || (number == 0 && !constant.zero_allowed))
    refuse(path, fmt::format("verdict.fit.{} is {}, out of range", constant.key, number));
  return number;
}

}  // namespace

FitRecord read_fit(const std::string& path) {
  const Json document = read_record(path, "--from " + path);
  FitRecord out;
  out.command = document["command"].get<std::string>();
  const Json verdict = document.value("verdict", Json::object());
  const Json fit = verdict.is_object() ? verdict.value("fit", Json()) : Json();
  if (!fit.is_object())
    refuse(path, fmt::format("is a record of \"{}\" without fitted constants (verdict.fit); scaling-sweep "
                             "writes them",
                             out.command));
  for (const Constant& constant : kConstants)
    if (fit.contains(constant.key) && !fit[constant.key].is_null())
      out.constants[constant.flag] = value_of(fit[constant.key], constant, path);
  if (out.constants.empty()) refuse(path, "has an empty verdict.fit");
  return out;
}

std::string describe(const FitRecord& fit, const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& [flag, value] : fit.constants) {
    const bool is_time = flag != "beta" && flag != "params" && flag != "batch";
    parts.push_back(flag + " " +
                    (is_time          ? format_seconds(value)
                     : flag == "beta" ? rate_text(value)
                                      : parameters(value)));
  }
  return fmt::format("constants from {} ({}): {}", path, fit.command, join(parts));
}

}  // namespace dpx
