#pragma once
// Element-wise fp32 operations of the CPU streams, compiled for every instruction set and chosen at run time.
#include <cstddef>
#include <string>

namespace dpx::cpu {

/// dst[i] += src[i]
void add(float* dst, const float* src, std::size_t n);
/// dst[i] = dst[i] + a * src[i], product rounded before the sum
void axpy(float* dst, float a, const float* src, std::size_t n);
/// dst[i] *= a
void scale(float* dst, float a, std::size_t n);
/// buffers[0][i] += buffers[1][i] + buffers[2][i] + ..., added in this order, in one pass; n >= 1 buffers
void add_n(float* const* buffers, std::size_t n, std::size_t count);
/// The same, and every buffer receives the sum.
void add_n_to_all(float* const* buffers, std::size_t n, std::size_t count);
/// Instruction set that the dispatch picked: "AVX3", "AVX2", ...
std::string simd_name();

}  // namespace dpx::cpu
