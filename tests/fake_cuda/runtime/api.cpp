#include "tests/fake_cuda/runtime/api.hpp"

#include "tests/fake_cuda/runtime/graph.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

/// Errors after which the device is lost: every later call returns them.
bool is_sticky(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
         error == cudaErrorMisalignedAddress || error == cudaErrorHardwareStackError ||
         error == cudaErrorIllegalInstruction || error == cudaErrorAssert ||
         error == cudaErrorECCUncorrectable;
}

}  // namespace

int& current_device() {
  static thread_local int device = 0;
  return device;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t refused(const char* function) {
  Scheduler& machine = scheduler();
  if (machine.sticky) return static_cast<cudaError_t>(machine.sticky);
  const auto injected = static_cast<cudaError_t>(injected_failure(function));
  if (is_sticky(injected)) machine.sticky = injected;
  if (injected != cudaSuccess) return injected;
  if (settings().driver_is_too_old()) return cudaErrorInsufficientDriver;
  return settings().gpus.empty() ? cudaErrorNoDevice : cudaSuccess;
}

Stream& stream_of(cudaStream_t handle, const char* function) {
  if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    stop(std::string(function) + " uses the default stream, which waits for every other");
  auto* stream = reinterpret_cast<Stream*>(handle);
  require(scheduler().alive(stream), cudaErrorInvalidResourceHandle);
  return *stream;
}

void require_no_capture() {
  for (const auto& stream : scheduler().streams())
    if (stream->capture && stream->capture->strict) {
      stream->capture->invalid = true;
      throw Refused{cudaErrorStreamCaptureUnsupported};
    }
}

void require_not_capturing(Stream& stream) {
  if (!stream.capture) return;
  stream.capture->invalid = true;
  throw Refused{cudaErrorStreamCaptureUnsupported};
}

double copy_seconds(std::size_t bytes, int from, int to) {
  constexpr double kLatency_s = 5e-6, kLink_Bps = 25e9, kStaged_Bps = 12e9, kOwnMemory_Bps = 2e12;
  const auto n = static_cast<double>(bytes);
  if (from == to) return kLatency_s + n / kOwnMemory_Bps;
  const bool staged =
      from >= 0 && to >= 0 && !scheduler().gpus[static_cast<std::size_t>(from)].peers.count(to);
  return kLatency_s + n / (staged ? kStaged_Bps : kLink_Bps);
}

}  // namespace fake

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = fake::last_error;
  fake::last_error = static_cast<cudaError_t>(fake::scheduler().sticky);
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return fake::last_error;
}

}  // extern "C"
