#pragma once
// Element-wise bf16 operations of the CPU streams, compiled for every instruction set and chosen at run time.
// Every rounding is to nearest even; the bits are those of lib/core/bf16.hpp on every instruction set.
#include <cstddef>

#include "lib/core/bf16.hpp"

namespace dpx::cpu {

/// dst[i] = src[i], rounded
void convert(Bf16* dst, const float* src, std::size_t n);
/// dst[i] = src[i], exact
void convert(float* dst, const Bf16* src, std::size_t n);
/// dst[i] += src[i], added in fp32 and rounded once
void add(Bf16* dst, const Bf16* src, std::size_t n);
/// buffers[0][i] += buffers[1][i], += buffers[2][i], ..., rounded after each of them, in one pass; n >= 1
/// buffers. The bits are those of n - 1 calls of `add`.
void add_n(Bf16* const* buffers, std::size_t n, std::size_t count);
/// The same, and every buffer receives the sum.
void add_n_to_all(Bf16* const* buffers, std::size_t n, std::size_t count);

}  // namespace dpx::cpu
