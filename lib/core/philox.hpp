#pragma once
// Counter-based random numbers: a value depends on (seed, stream, index) only, never on who draws it or in
// what order. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011
// (Philox4x32-10).
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace dpx {

/// What the numbers are for; each purpose has numbers of its own.
enum class Draw : std::uint32_t {
  params = 0,  ///< + tensor index
  shuffle = 32,
  normal_image = 33,
  random_label = 34,
  synthetic_image = 35,
  probe = 36
};

/// Philox4x32-10 of counter (index low, index high, stream, substream) under the key `seed`.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
                                              std::uint32_t substream = 0) {
  std::array<std::uint32_t, 4> c{std::uint32_t(index), std::uint32_t(index >> 32), stream, substream};
  std::uint32_t k0 = std::uint32_t(seed), k1 = std::uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
    c = {std::uint32_t(p1 >> 32) ^ c[1] ^ k0, std::uint32_t(p1), std::uint32_t(p0 >> 32) ^ c[3] ^ k1,
         std::uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// Standard normal number `index`: Box-Muller (cosine branch) of words 0 and 1 of its block, u = (word + 0.5)
/// / 2^32.
inline double philox_normal(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  const auto r = philox(seed, stream, index);
  const double u1 = (r[0] + 0.5) * 0x1p-32, u2 = (r[1] + 0.5) * 0x1p-32;
  return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

/// Integer `index` in [0, bound): the high word of (word 0) * bound. Bias below bound / 2^32.
constexpr std::uint32_t philox_below(std::uint32_t bound, std::uint64_t seed, std::uint32_t stream,
                                     std::uint64_t index, std::uint32_t substream = 0) {
  return std::uint32_t((std::uint64_t(philox(seed, stream, index, substream)[0]) * bound) >> 32);
}

}  // namespace dpx
