#include "lib/comm/schedule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/comm/schedules/star.hpp"
#include "lib/core/error.hpp"

namespace dpx {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Schedule> (*make)(int world_size);
};

// The registry: one line per algorithm.
constexpr Entry kSchedules[] = {
    {"star", make_star},
};

}  // namespace

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kSchedules) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

std::unique_ptr<Schedule> make_schedule(const std::string& name, int world_size) {
  for (const Entry& entry : kSchedules)
    if (name == entry.name) return entry.make(world_size);
  throw Error(Exit::usage,
              fmt::format("unknown algorithm '{}'; known: {}", name, fmt::join(schedule_names(), ", ")));
}

}  // namespace dpx
