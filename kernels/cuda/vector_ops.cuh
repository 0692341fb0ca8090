#pragma once
// Elementwise device code of streams. Grid-stride loops: any grid covers any length. No launches here, so
// that a host compiler can read this file, too.
#include <cstddef>

#include "kernels/cuda/grid_stride.cuh"
#include "lib/core/bf16.hpp"

namespace dpx::cuda {

__device__ inline float sum_of(float a, float b) {
  return a + b;
}
__device__ inline Bf16 sum_of(Bf16 a, Bf16 b) {
  return add_rounded(a, b);
}

/// dst += src; bf16 is added in fp32 and rounded. Shapes: (n).
template <class T>
__global__ void add_kernel(T* dst, const T* src, std::size_t n) {
  for (std::size_t i = first_element(); i < n; i += element_stride()) dst[i] = sum_of(dst[i], src[i]);
}

__device__ inline void convert_element(Bf16& dst, float src) {
  dst = to_bf16(src);
}
__device__ inline void convert_element(float& dst, Bf16 src) {
  dst = to_float(src);
}

/// dst = src between fp32 and bf16. Shapes: (n).
template <class D, class S>
__global__ void convert_kernel(D* dst, const S* src, std::size_t n) {
  for (std::size_t i = first_element(); i < n; i += element_stride()) convert_element(dst[i], src[i]);
}

/// dst += a * src: SGD over the flat buffer with a = -lr. Shapes: (n).
__global__ void axpy_kernel(float* dst, float a, const float* src, std::size_t n) {
  for (std::size_t i = first_element(); i < n; i += element_stride()) dst[i] += a * src[i];
}

/// dst *= a. Shapes: (n).
__global__ void scale_kernel(float* dst, float a, std::size_t n) {
  for (std::size_t i = first_element(); i < n; i += element_stride()) dst[i] *= a;
}

/// dst = src by loads and stores of this GPU; either side may be mapped host memory. Shapes: (n).
template <class T>
__global__ void move_kernel(T* dst, const T* src, std::size_t n) {
  for (std::size_t i = first_element(); i < n; i += element_stride()) dst[i] = src[i];
}

}  // namespace dpx::cuda
