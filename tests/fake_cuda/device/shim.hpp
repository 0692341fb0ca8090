#pragma once
// Lets g++ compile device code (.cuh) for the CPU: include before it. Threads are fibers of one host thread,
// so an atomic operation is a plain one, and a block's __shared__ variables are statics.
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "tests/fake_cuda/device/registration.hpp"

// Not inlined: in a caller their accesses would be seen.
#define FAKE_UNSEEN __attribute__((no_sanitize("thread"), noinline)) inline

#define threadIdx fake_thread_index()
#define blockIdx fake_block_index()
#define blockDim fake_block_size()
#define gridDim fake_grid_size()
#undef __shared__
#define __shared__ static
#undef __launch_bounds__
#define __launch_bounds__(...)
#define DPX_DYNAMIC_SHARED(type, name) type* name = static_cast<type*>(fake_dynamic_shared())

FAKE_UNSEEN void __syncthreads() {
  fake_syncthreads();
}
FAKE_UNSEEN void __syncwarp(unsigned mask = 0xffffffffu) {
  fake_ballot(mask, false);
}

/// The calling thread's place in its warp.
FAKE_UNSEEN int fake_lane() {
  const uint3 thread = fake_thread_index();
  const dim3 size = fake_block_size();
  return static_cast<int>((thread.x + size.x * (thread.y + size.y * thread.z)) % 32);
}

template <class T>
FAKE_UNSEEN T fake_from_lane(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = fake_exchange(mask, bits, source);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
FAKE_UNSEEN T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return fake_from_lane(mask, value, fake_lane() / width * width + source % width);
}
template <class T>
FAKE_UNSEEN T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = fake_lane(), source = lane + static_cast<int>(delta);
  return fake_from_lane(mask, value, source / width == lane / width ? source : lane);
}
template <class T>
FAKE_UNSEEN T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = fake_lane(), source = lane - static_cast<int>(delta);
  return fake_from_lane(mask, value, source >= lane / width * width ? source : lane);
}
template <class T>
FAKE_UNSEEN T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = fake_lane(), source = lane ^ bits;
  return fake_from_lane(mask, value, source / width == lane / width ? source : lane);
}
FAKE_UNSEEN unsigned __ballot_sync(unsigned mask, int value) {
  return fake_ballot(mask, value != 0);
}
FAKE_UNSEEN int __any_sync(unsigned mask, int value) {
  return fake_ballot(mask, value != 0) != 0;
}
FAKE_UNSEEN int __all_sync(unsigned mask, int value) {
  return fake_ballot(mask, value == 0) == 0;
}

template <class T, class Update>
FAKE_UNSEEN T fake_read_modify_write(T* address, Update update) {
  fake_atomic(address, sizeof(T));
  const T old = *address;
  *address = update(old);
  return old;
}
template <class T>
FAKE_UNSEEN T atomicAdd(T* address, T value) {
  return fake_read_modify_write(
      address, [&](T old) __attribute__((no_sanitize("thread"))) { return T(old + value); });
}
template <class T>
FAKE_UNSEEN T atomicMax(T* address, T value) {
  return fake_read_modify_write(
      address, [&](T old) __attribute__((no_sanitize("thread"))) { return old < value ? value : old; });
}
template <class T>
FAKE_UNSEEN T atomicMin(T* address, T value) {
  return fake_read_modify_write(
      address, [&](T old) __attribute__((no_sanitize("thread"))) { return value < old ? value : old; });
}
template <class T>
FAKE_UNSEEN T atomicExch(T* address, T value) {
  return fake_read_modify_write(
      address, [&](T) __attribute__((no_sanitize("thread"))) { return value; });
}
template <class T>
FAKE_UNSEEN T atomicCAS(T* address, T expected, T value) {
  return fake_read_modify_write(
      address, [&](T old) __attribute__((no_sanitize("thread"))) { return old == expected ? value : old; });
}

template <class T>
inline T __ldg(const T* address) {
  return *address;
}
inline float __expf(float x) {
  return std::exp(x);
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __fmaf_rn(float x, float y, float z) {
  return std::fma(x, y, z);
}

/// Announces a kernel; the sizes of its arguments and how to call it come from its type.
template <class... A>
struct FakeKernel {
  explicit FakeKernel(void (*kernel)(A...)) {
    static const std::size_t bytes[] = {sizeof(A)..., 0};
    fake_register_kernel(reinterpret_cast<void*>(kernel), call, sizeof...(A), bytes);
  }
  __attribute__((no_sanitize("thread"))) static void call(void* kernel, void** arguments) {
    spread(kernel, arguments, std::index_sequence_for<A...>{});
  }
  template <std::size_t... I>
  __attribute__((no_sanitize("thread"))) static void spread(void* kernel, void** arguments,
                                                            std::index_sequence<I...>) {
    reinterpret_cast<void (*)(A...)>(kernel)(*static_cast<A*>(arguments[I])...);
  }
};
#define FAKE_JOIN_AGAIN(a, b) a##b
#define FAKE_JOIN(a, b) FAKE_JOIN_AGAIN(a, b)
#define FAKE_KERNEL(...)                                         \
  static const FakeKernel FAKE_JOIN(fake_kernel_, __COUNTER__) { \
    __VA_ARGS__                                                  \
  }
