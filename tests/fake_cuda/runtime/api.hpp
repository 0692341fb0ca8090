#pragma once
// What the exported functions of every faked library are made of.
#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "tests/fake_cuda/runtime/operation.hpp"
#include "tests/fake_cuda/runtime/scheduler.hpp"

namespace fake {

/// Thrown inside an exported function, which then returns the code.
struct Refused {
  cudaError_t code;
};

/// The device that later calls of this thread are about.
int& current_device();
/// Remembers an error for cudaGetLastError and returns it.
cudaError_t remember(cudaError_t error);
/// The error that this call must return without doing anything: injected, sticky, or no device.
cudaError_t refused(const char* function);

/// Carries out the body of a function of the runtime library.
template <class Body>
cudaError_t call(const char* function, Body body) {
  const Session session;
  cudaError_t error = refused(function);
  if (error != cudaSuccess) return remember(error);
  try {
    body();
    return remember(static_cast<cudaError_t>(scheduler().sticky));
  } catch (const Refused& refusal) {
    return remember(refusal.code);
  }
}

inline void require(bool holds, cudaError_t otherwise) {
  if (!holds) throw Refused{otherwise};
}

/// Errors: the default stream ends the process; an unknown handle is refused.
Stream& stream_of(cudaStream_t handle, const char* function);
std::shared_ptr<Event>& event_of(cudaEvent_t handle);
cudaEvent_t handle_of(const std::shared_ptr<Event>& event);
/// Calls that might synchronise are refused, and spoil the capture, while a stream is capturing.
void require_no_capture();
void require_not_capturing(Stream& stream);

/// Virtual seconds of a copy of `bytes` between two places, -1 standing for the host.
double copy_seconds(std::size_t bytes, int from, int to);

}  // namespace fake
