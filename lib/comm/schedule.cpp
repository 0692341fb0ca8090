#include "lib/comm/schedule.hpp"

#include <fmt/format.h>

#include <charconv>

#include "lib/comm/schedules/halving_doubling.hpp"
#include "lib/comm/schedules/parameter_server.hpp"
#include "lib/comm/schedules/ring.hpp"
#include "lib/comm/schedules/star.hpp"
#include "lib/comm/schedules/tree.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Schedule> (*make)(int world_size, int servers);
};

// The registry: one line per algorithm. Only the parameter server looks at its number of servers.
constexpr Entry kSchedules[] = {
    {"star", [](int k, int) { return make_star(k); }},
    {"ring", [](int k, int) { return make_ring(k); }},
    {"tree", [](int k, int) { return make_tree(k); }},
    {"halving-doubling", [](int k, int) { return make_halving_doubling(k); }},
    {"direct", [](int k, int) { return make_direct(k); }},
    {"parameter-server", [](int k, int servers) { return make_parameter_server(k, servers); }},
};

struct Parsed {
  const Entry* entry;
  int servers;
};

Parsed parse(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  for (const Entry& entry : kSchedules) {
    if (name != entry.name) continue;
    if (colon == std::string::npos) return {&entry, 1};
    int servers = 0;
    const char *first = text.data() + colon + 1, *last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, servers);
    if (name == "parameter-server" && error == std::errc() && end == last && servers > 0)
      return {&entry, servers};
    throw Error(Exit::usage,
                fmt::format("algorithm '{}': only parameter-server:S takes a number, S >= 1", text));
  }
  throw Error(Exit::usage,
              fmt::format("unknown algorithm '{}'; {}", text, suggestion(text, schedule_names())));
}

}  // namespace

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kSchedules) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

void check_schedule_name(const std::string& name) {
  parse(name);
}

std::unique_ptr<Schedule> make_schedule(const std::string& name, int world_size) {
  const Parsed parsed = parse(name);
  return parsed.entry->make(world_size, parsed.servers);
}

}  // namespace dpx
