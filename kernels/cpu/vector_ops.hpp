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
/// Instruction set that the dispatch picked: "AVX3", "AVX2", ...
std::string simd_name();

}  // namespace dpx::cpu
