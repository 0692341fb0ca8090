#pragma once
// Fingerprints of fp32 and bf16 buffers, to compare replicas bit by bit.
#include <bit>
#include <cstdint>
#include <span>

#include "lib/core/bf16.hpp"

namespace dpx {

inline constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325ull;

/// FNV-1a over the values' bit patterns: -0 differs from 0, and NaNs compare by their bits. `so_far` is the
/// hash of what came before, for buffers that come in pieces.
inline std::uint64_t hash_bits(std::span<const float> values, std::uint64_t so_far = kEmptyHash) {
  for (float value : values) so_far = (so_far ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3ull;
  return so_far;
}
inline std::uint64_t hash_bits(std::span<const Bf16> values, std::uint64_t so_far = kEmptyHash) {
  for (Bf16 value : values) so_far = (so_far ^ value.bits) * 0x100000001b3ull;
  return so_far;
}

}  // namespace dpx
