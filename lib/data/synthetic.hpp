#pragma once
// Data made from random numbers: for timing without files ("synthetic") and for parity ("normal").
#include <cstdint>

#include "lib/data/dataset.hpp"

namespace dpx {

/// `count` examples of which LeNet can learn the class: half a random 7x7 pattern per class, half uniform
/// noise. Example i is the same for every `count`; `first` moves to other examples of the same patterns.
/// Shapes: images (count,28,28), u8.
Examples synthetic_examples(std::size_t count, std::uint64_t seed, std::uint64_t first = 0);

/// `count` images of N(0,1) with random labels. Shapes: images (count,28,28), f32. Source: the chapter's
/// parity check.
Examples normal_examples(std::size_t count, std::uint64_t seed);

}  // namespace dpx
