#include "tests/fake_cuda/runtime/visible.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace fake {
namespace {

/// The one GPU whose UUID begins with `text`, or -1.
int by_uuid(const std::string& text, int physical) {
  int found = -1;
  for (int gpu = 0; gpu < physical; ++gpu) {
    if (uuid_text_of(gpu).compare(0, text.size(), text) != 0) continue;
    if (found >= 0) return -1;
    found = gpu;
  }
  return found;
}

/// The number that `text` begins with, as strtol reads it, or -1.
int by_ordinal(const std::string& text, int physical) {
  char* end = nullptr;
  const long gpu = std::strtol(text.c_str(), &end, 10);
  return end == text.c_str() || gpu < 0 || gpu >= physical ? -1 : static_cast<int>(gpu);
}

}  // namespace

std::array<char, 16> uuid_of(int physical) {
  const unsigned char bytes[16] = {0xd0, 0xbb, 0xe1, 0xd0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0};
  std::array<char, 16> uuid;
  std::copy(bytes, bytes + 16, uuid.begin());
  uuid[0] = static_cast<char>(bytes[0] + physical);
  return uuid;
}

std::string uuid_text_of(int physical) {
  std::string text = "GPU";
  int index = 0;
  for (const char byte : uuid_of(physical)) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "%s%02x",
                  index == 0 || (index >= 4 && index <= 10 && index % 2 == 0) ? "-" : "",
                  static_cast<unsigned char>(byte));
    text += hex;
    ++index;
  }
  return text;
}

std::vector<int> visible_gpus(const char* list, int physical) {
  std::vector<int> gpus;
  if (!list) {
    gpus.resize(static_cast<std::size_t>(physical));
    std::iota(gpus.begin(), gpus.end(), 0);
    return gpus;
  }
  const bool uuids = std::string(list).rfind("GPU-", 0) == 0;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    const int gpu = uuids ? by_uuid(part, physical) : by_ordinal(part, physical);
    if (gpu < 0) break;
    if (std::find(gpus.begin(), gpus.end(), gpu) != gpus.end()) return {};
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace fake
