#include "kernels/cuda/telemetry.hpp"

namespace dpx::cuda {

// Bits as nvml.h defines them; 0x1 (idle), 0x2 (clocks set by the user) and 0x10 (sync boost) slow no one
// down.
std::string throttle_words(unsigned long long reasons) {
  struct Reason {
    unsigned long long bit;
    const char* words;
  };
  constexpr Reason kReasons[] = {{0x4, "power cap"},
                                 {0x8, "hardware slowdown"},
                                 {0x20, "thermal"},
                                 {0x40, "hardware thermal"},
                                 {0x80, "hardware power brake"}};
  std::string text;
  for (const Reason& reason : kReasons)
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.words);
  return text;
}

}  // namespace dpx::cuda
