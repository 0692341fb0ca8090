#include "lib/device/device_list.hpp"

#include <fmt/format.h>

#include <charconv>

#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

constexpr int kMaxNumber = 1023, kMaxDevices = 256;

int whole_number(const std::string& text, const std::string& part, int least) {
  int value = 0;
  const char *first = part.data(), *last = part.data() + part.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (part.empty() || error != std::errc() || end != last || value < least || value > kMaxNumber)
    throw Error(Exit::usage, fmt::format("{}: '{}' is no number from {} to {}; {}", text, part, least,
                                         kMaxNumber, kDeviceListSyntax));
  return value;
}

}  // namespace

DeviceList parse_device_list(const std::string& text) {
  const auto colon = text.find(':');
  const std::string backend = colon == std::string::npos ? "cuda" : text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
  if (backend == "cpu") return {backend, whole_number(text, rest, 1), {}};
  if (backend != "cuda")
    throw Error(Exit::usage, fmt::format("{}: unknown kind '{}'; {}", text, backend, kDeviceListSyntax));
  DeviceList list{backend, 0, {}};
  for (const std::string& part : split(rest, ',')) list.ordinals.push_back(whole_number(text, part, 0));
  list.count = int(list.ordinals.size());
  if (list.count > kMaxDevices)
    throw Error(Exit::usage, fmt::format("{} devices, at most {}", list.count, kMaxDevices));
  return list;
}

}  // namespace dpx
