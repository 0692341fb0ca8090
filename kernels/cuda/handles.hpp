#pragma once
// One owner per CUDA handle: streams, events, memory, graphs. Made on the current device, released anywhere.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "kernels/cuda/check.hpp"

namespace dpx::cuda {

/// Owns `T`, a handle type whose null value owns nothing; `destroy` releases it. Move-only.
template <class T, auto destroy>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() {
    if (value_ != T{}) DPX_CHECK_QUIET(destroy(value_));
  }
  T get() const { return value_; }
  T release() { return std::exchange(value_, T{}); }
  explicit operator bool() const { return value_ != T{}; }

 private:
  T value_{};
};

using StreamHandle = Handle<cudaStream_t, cudaStreamDestroy>;
using EventHandle = Handle<cudaEvent_t, cudaEventDestroy>;
using GraphHandle = Handle<cudaGraph_t, cudaGraphDestroy>;
using GraphExecHandle = Handle<cudaGraphExec_t, cudaGraphExecDestroy>;
/// cudaFree for what allocate_device gave.
cudaError_t free_device(void* data);
using DeviceMemory = Handle<void*, free_device>;
using PinnedMemory = Handle<void*, cudaFreeHost>;

enum class Priority { normal, high };

/// A stream that never waits for the default stream.
inline StreamHandle make_stream(Priority priority = Priority::normal) {
  int least = 0, greatest = 0;
  DPX_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  DPX_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                         priority == Priority::high ? greatest : least));
  return StreamHandle(stream);
}

/// An event for order only, which is cheaper than one that keeps the time.
inline EventHandle make_order_event() {
  cudaEvent_t event = nullptr;
  DPX_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return EventHandle(event);
}

/// Whether work for `stream` becomes part of a graph now instead of being done.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  DPX_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// Uninitialised memory of the current device. Errors: Exit::unavailable with the bytes asked for and free.
DeviceMemory allocate_device(std::size_t bytes);

/// The most bytes of `device` that allocate_device had given out at one time; the CUDA libraries' own are not
/// among them.
std::size_t peak_device_bytes(int device);

/// Host memory that copy engines and kernels of every GPU reach. Errors: Exit::unavailable with the bytes.
PinnedMemory allocate_pinned(std::size_t bytes);

}  // namespace dpx::cuda
