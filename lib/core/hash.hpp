#pragma once
// Fingerprints of fp32 buffers, to compare replicas bit by bit.
#include <bit>
#include <cstdint>
#include <span>

namespace dpx {

/// FNV-1a over the values' 32-bit patterns: -0 differs from 0, and NaNs compare by their bits.
inline std::uint64_t hash_bits(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3ull;
  return hash;
}

}  // namespace dpx
