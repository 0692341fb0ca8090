#pragma once
// DPX_CHECK(call): throws Error where a CUDA call (or one of its libraries, see check_libraries.hpp) fails,
// with the call, its code and text, the current device and the place. DPX_CHECK_QUIET is for destructors: it
// notes the failure at log level debug.
#include <cuda_runtime_api.h>

#include <string>

#include "lib/core/error.hpp"

namespace dpx::cuda {

/// A failed call as words: "cudaErrorInvalidValue (1): invalid argument"; empty for success.
std::string failure_of(cudaError_t status);

/// Throws Error. Text: "cuda:0: CALL: FAILURE [FILE:LINE]".
[[noreturn]] void throw_failure(Exit code, const std::string& failure, const char* call, const char* file,
                                int line);
void note_failure(const std::string& failure, const char* call) noexcept;

/// How a failure ends dpx: missing memory or a lost device is no fault of dpx.
Exit exit_code_of(cudaError_t status);
template <class Status>
Exit exit_code_of(Status) {
  return Exit::internal;
}

void check(cudaError_t status, const char* call, const char* file, int line);

/// Whether `event` is reached. Not yet is no failure, nor left behind as the thread's last error.
bool is_reached(cudaEvent_t event);

/// Makes `device` the calling thread's current device.
void use_device(int device);

}  // namespace dpx::cuda

#define DPX_CHECK(call)                                                                                      \
  do {                                                                                                       \
    if (const auto dpx_status = (call); dpx_status != decltype(dpx_status){})                                \
      ::dpx::cuda::throw_failure(::dpx::cuda::exit_code_of(dpx_status), ::dpx::cuda::failure_of(dpx_status), \
                                 #call, __FILE__, __LINE__);                                                 \
  } while (false)

#define DPX_CHECK_QUIET(call)                                                 \
  do {                                                                        \
    if (const auto dpx_status = (call); dpx_status != decltype(dpx_status){}) \
      ::dpx::cuda::note_failure(::dpx::cuda::failure_of(dpx_status), #call);  \
  } while (false)
