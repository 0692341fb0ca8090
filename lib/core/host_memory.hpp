#pragma once
// How much memory this machine can still give.
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace dpx {

/// MemAvailable of /proc/meminfo. Units: bytes; the largest number where the system does not say.
inline std::int64_t available_memory_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::int64_t kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) return kib * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace dpx
