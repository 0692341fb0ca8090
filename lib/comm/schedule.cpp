#include "lib/comm/schedule.hpp"

#include <fmt/format.h>

#include <charconv>

#include "lib/comm/schedules/halving_doubling.hpp"
#include "lib/comm/schedules/parameter_server.hpp"
#include "lib/comm/schedules/pipelined.hpp"
#include "lib/comm/schedules/ring.hpp"
#include "lib/comm/schedules/star.hpp"
#include "lib/comm/schedules/tree.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

struct Entry {
  const char* name;
  const char* number;  ///< what a number behind the name counts; null: there is none
  std::unique_ptr<Schedule> (*make)(int world_size, int number);
};

// The registry: one line per algorithm.
constexpr Entry kSchedules[] = {
    {"star", "pieces", [](int k, int pieces) { return make_pipelined(make_star(k), pieces); }},
    {"ring", nullptr, [](int k, int) { return make_ring(k); }},
    {"tree", "pieces", [](int k, int pieces) { return make_pipelined(make_tree(k), pieces); }},
    {"halving-doubling", nullptr, [](int k, int) { return make_halving_doubling(k); }},
    {"direct", nullptr, [](int k, int) { return make_direct(k); }},
    {"parameter-server", "servers", [](int k, int servers) { return make_parameter_server(k, servers); }},
};

constexpr int kMaxNumber = 4096;

struct Parsed {
  const Entry* entry;
  int number;
};

std::string names_with_numbers() {
  std::string all;
  for (const Entry& entry : kSchedules)
    if (entry.number != nullptr)
      all += fmt::format("{}{}:{}", all.empty() ? "" : ", ", entry.name, entry.number);
  return all;
}

Parsed parse(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  for (const Entry& entry : kSchedules) {
    if (name != entry.name) continue;
    if (colon == std::string::npos) return {&entry, 1};
    int number = 0;
    const char *first = text.data() + colon + 1, *last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, number);
    if (entry.number != nullptr && error == std::errc() && end == last && number > 0 && number <= kMaxNumber)
      return {&entry, number};
    throw Error(Exit::usage, fmt::format("algorithm '{}': a number of 1 to {} may stand in {} only", text,
                                         kMaxNumber, names_with_numbers()));
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

std::string describe_schedule_names() {
  std::string all;
  for (const Entry& entry : kSchedules)
    all += fmt::format("{}{}{}", all.empty() ? "" : ", ", entry.name,
                       entry.number != nullptr ? fmt::format("[:{}]", entry.number) : "");
  return all;
}

void check_schedule_name(const std::string& name) {
  parse(name);
}

AlgorithmName split_algorithm(const std::string& name) {
  const Parsed parsed = parse(name);
  return {parsed.entry->name, parsed.number};
}

bool is_pipelined(const std::string& name) {
  const auto [base, number] = split_algorithm(name);
  return number > 1 && (base == "star" || base == "tree");
}

std::unique_ptr<Schedule> make_schedule(const std::string& name, int world_size) {
  const Parsed parsed = parse(name);
  return parsed.entry->make(world_size, parsed.number);
}

}  // namespace dpx
