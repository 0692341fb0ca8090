// Names and texts of the errors that programs meet.
#include <cuda_runtime_api.h>

#include <array>

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

#define FAKE_ERROR(code, text) \
  ErrorText {                  \
    code, #code, text          \
  }
constexpr std::array kErrors = {
    FAKE_ERROR(cudaSuccess, "no error"),
    FAKE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    FAKE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    FAKE_ERROR(cudaErrorInitializationError, "initialization error"),
    FAKE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    FAKE_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    FAKE_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    FAKE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    FAKE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    FAKE_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    FAKE_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    FAKE_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    FAKE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    FAKE_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    FAKE_ERROR(cudaErrorNotReady, "device not ready"),
    FAKE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    FAKE_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    FAKE_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    FAKE_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    FAKE_ERROR(cudaErrorAssert, "device-side assert triggered"),
    FAKE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    FAKE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    FAKE_ERROR(cudaErrorNotSupported, "operation not supported"),
    FAKE_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    FAKE_ERROR(cudaErrorSystemDriverMismatch,
               "system has unsupported display driver / cuda driver combination"),
    FAKE_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    FAKE_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    FAKE_ERROR(cudaErrorStreamCaptureMerge,
               "operation would result in a merge of separate capture sequences"),
    FAKE_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    FAKE_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    FAKE_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    FAKE_ERROR(cudaErrorCapturedEvent,
               "operation not permitted on an event last recorded in a capturing stream"),
    FAKE_ERROR(cudaErrorGraphExecUpdateFailure,
               "the graph update was not performed because it included changes which violated constraints"),
    FAKE_ERROR(cudaErrorUnknown, "unknown error"),
};

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& entry : kErrors)
    if (entry.code == code) return &entry;
  return nullptr;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
  const ErrorText* entry = find(code);
  return entry ? entry->name : "an error that the double has no name for";
}

const char* cudaGetErrorString(cudaError_t code) {
  const ErrorText* entry = find(code);
  return entry ? entry->text : "an error that the double has no text for";
}

}  // extern "C"
