#include "lib/comm/link_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

const std::vector<std::string> kKeys = {"alpha",       "beta",       "duplex", "ranks-per-node",
                                        "alpha-inter", "beta-inter", "nic"};
constexpr int kMaxRanksPerNode = 65536;
constexpr double kMaxAlpha_s = 3600;

using Values = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& why) {
  throw Error(Exit::usage,
              fmt::format("link model, {}=\"{}\": {}; keys: {}", key, value.substr(0, 80), why, join(kKeys)));
}

Values split(std::string_view text) {
  Values values;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    const std::string key(item.substr(0, equals));
    if (equals == std::string_view::npos)
      throw Error(Exit::usage, fmt::format("link model: \"{}\" is not key=value; keys: {}",
                                           item.substr(0, 80), join(kKeys)));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      throw Error(Exit::usage, "link model: " + unknown_name("key", key, kKeys));
    if (!values.emplace(key, item.substr(equals + 1)).second)
      refuse(key, item.substr(equals + 1), "given twice");
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

// Reads one value; what its parser says is completed with the key.
template <class Parse>
auto read(const Values& values, std::string_view key, Parse parse) {
  const std::string& value = values.find(key)->second;
  try {
    return parse(value);
  } catch (const Error& e) {
    refuse(key, value, e.what());
  }
}

std::size_t choose(const Values& values, std::string_view key, const std::vector<std::string>& allowed) {
  const std::string& value = values.find(key)->second;
  const auto found = std::find(allowed.begin(), allowed.end(), value);
  if (found == allowed.end()) refuse(key, value, "is not one of " + join(allowed));
  return std::size_t(found - allowed.begin());
}

double read_time(const Values& values, std::string_view key) {
  const double seconds = read(values, key, parse_seconds);
  if (seconds > kMaxAlpha_s) refuse(key, values.find(key)->second, "is above an hour");
  return seconds;
}

double read_rate(const Values& values, std::string_view key) {
  const double rate_Bps = read(values, key, parse_rate_Bps);
  if (rate_Bps < 1) refuse(key, values.find(key)->second, "is below 1 B/s");
  return rate_Bps;
}

int read_ranks(const Values& values) {
  const std::string& text = values.find("ranks-per-node")->second;
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error != std::errc() || end != text.data() + text.size() || ranks < 1 || ranks > kMaxRanksPerNode)
    refuse("ranks-per-node", text, fmt::format("is not a whole number from 1 to {}", kMaxRanksPerNode));
  return ranks;
}

void require(const Values& values, std::string_view key, std::string_view why) {
  if (!values.contains(key))
    throw Error(Exit::usage, fmt::format("link model: {} is missing, {}; keys: {}", key, why, join(kKeys)));
}

}  // namespace

std::string_view name_of(Duplex duplex) {
  return duplex == Duplex::full ? "full" : duplex == Duplex::half ? "half" : "bus";
}

LinkModel parse_link_model(std::string_view text) {
  const Values values = split(text);
  LinkModel model;
  require(values, "beta", "the rate of a link");
  model.inside.beta_Bps = read_rate(values, "beta");
  if (values.contains("alpha")) model.inside.alpha_s = read_time(values, "alpha");
  if (values.contains("duplex"))
    model.duplex = std::vector{Duplex::full, Duplex::half,
                               Duplex::bus}[choose(values, "duplex", {"full", "half", "bus"})];
  if (!values.contains("ranks-per-node")) {
    for (const char* key : {"alpha-inter", "beta-inter", "nic"})
      if (const auto found = values.find(key); found != values.end())
        refuse(key, found->second, "needs ranks-per-node, the number of ranks inside a node");
    return model;
  }
  model.ranks_per_node = read_ranks(values);
  require(values, "beta-inter", "the rate between nodes that ranks-per-node asks for");
  model.between = {model.inside.alpha_s, read_rate(values, "beta-inter")};
  if (values.contains("alpha-inter")) model.between.alpha_s = read_time(values, "alpha-inter");
  if (values.contains("nic")) model.one_nic_per_node = choose(values, "nic", {"rank", "node"}) == 1;
  return model;
}

std::string describe(const LinkModel& model) {
  const auto cost = [](const AlphaBeta& link) {
    return fmt::format("alpha {}, beta {}", format_seconds(link.alpha_s), format_rate(link.beta_Bps));
  };
  const std::string duplex =
      model.duplex == Duplex::bus ? "one bus" : fmt::format("{} duplex", name_of(model.duplex));
  if (!model.two_level()) return fmt::format("{}, {}", cost(model.inside), duplex);
  return fmt::format("{}, {}; nodes of {} ranks, between them {}, one NIC per {}", cost(model.inside), duplex,
                     model.ranks_per_node, cost(model.between), model.one_nic_per_node ? "node" : "rank");
}

}  // namespace dpx
