#pragma once
// What the small programs share. They exit with 0 when their numbers are right, 1 when not, 3 when a call
// failed.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define DPX_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#define CHECK(call) check(call, #call, __LINE__)

inline void check(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s: %s (%s)\n", line, call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(3);
}

/// Prints both and says by the exit code whether they agree.
inline int verdict(float value, float wanted) {
  std::printf("%g, wanted %g\n", value, wanted);
  return value == wanted ? 0 : 1;
}

struct Options {
  int count;
  char** values;
  bool has(const char* option) const {
    for (int i = 1; i < count; ++i)
      if (!std::strcmp(values[i], option)) return true;
    return false;
  }
};

inline cudaStream_t make_stream(int device) {
  cudaStream_t stream;
  CHECK(cudaSetDevice(device));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

inline cudaEvent_t make_event(int device, unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t event;
  CHECK(cudaSetDevice(device));
  CHECK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

inline float* make_floats(int device, int count) {
  float* p;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&p, count * sizeof(float)));
  return p;
}

inline float* make_pinned(int count) {
  float* p;
  CHECK(cudaMallocHost(&p, count * sizeof(float)));
  return p;
}
