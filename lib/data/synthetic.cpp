#include "lib/data/synthetic.hpp"

#include <array>

#include "lib/core/philox.hpp"

namespace dpx {
namespace {

constexpr std::size_t kSide = 28, kPixels = kSide * kSide, kClasses = 10, kCell = 4, kGrid = kSide / kCell;
constexpr std::size_t kBlockBytes = 16;
static_assert(kPixels % kBlockBytes == 0);
enum Substream : std::uint32_t { noise = 0, pattern = 1 };

using Pattern = std::array<std::uint8_t, kPixels>;

/// Cells of 4x4 pixels that are black or white at random, more of them white from class to class: as in
/// photographs, brightness is what a network that starts near zero learns first.
std::array<Pattern, kClasses> make_patterns(std::uint64_t seed) {
  std::array<Pattern, kClasses> patterns;
  for (std::size_t c = 0; c < kClasses; ++c)
    for (std::size_t p = 0; p < kPixels; ++p) {
      const std::size_t cell = p / kSide / kCell * kGrid + p % kSide / kCell;
      const auto index = c * kGrid * kGrid + cell;
      const auto level =
          philox_below(kClasses + 1, seed, std::uint32_t(Draw::synthetic_image), index, pattern);
      patterns[c][p] = level <= c ? 255 : 0;
    }
  return patterns;
}

std::uint8_t random_label(std::uint64_t seed, std::uint64_t example) {
  return std::uint8_t(philox_below(kClasses, seed, std::uint32_t(Draw::random_label), example));
}

/// One block of random numbers gives the noise of 16 pixels.
void fill_image(std::uint8_t* pixels, const Pattern& image_class, std::uint64_t seed, std::uint64_t example) {
  constexpr std::size_t kBlocks = kPixels / kBlockBytes;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const auto words = philox(seed, std::uint32_t(Draw::synthetic_image), example * kBlocks + b, noise);
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
      const std::size_t p = b * kBlockBytes + i;
      const std::uint32_t random_byte = words[i / 4] >> (8 * (i % 4)) & 0xff;
      pixels[p] = std::uint8_t((image_class[p] + random_byte) / 2);
    }
  }
}

}  // namespace

Examples synthetic_examples(std::size_t count, std::uint64_t seed, std::uint64_t first) {
  const auto patterns = make_patterns(seed);
  Examples examples;
  examples.pixels_u8.resize(count * kPixels);
  examples.labels.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    examples.labels[i] = random_label(seed, first + i);
    fill_image(&examples.pixels_u8[i * kPixels], patterns[examples.labels[i]], seed, first + i);
  }
  return examples;
}

Examples normal_examples(std::size_t count, std::uint64_t seed) {
  Examples examples;
  examples.pixels_f32.resize(count * kPixels);
  examples.labels.resize(count);
  for (std::size_t i = 0; i < count; ++i) examples.labels[i] = random_label(seed, i);
  for (std::size_t j = 0; j < examples.pixels_f32.size(); ++j)
    examples.pixels_f32[j] = float(philox_normal(seed, std::uint32_t(Draw::normal_image), j));
  return examples;
}

}  // namespace dpx
