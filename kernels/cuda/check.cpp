#include "kernels/cuda/check.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string_view>

#include "kernels/cuda/check_libraries.hpp"

namespace dpx::cuda {
namespace {

// From the root of the sources: "kernels/cuda/...".
std::string_view from_root(std::string_view file) {
  const auto at = file.rfind("kernels/cuda/");
  return at == std::string_view::npos ? file : file.substr(at);
}

}  // namespace

std::string failure_of(cudaError_t status) {
  return fmt::format("{} ({}): {}", cudaGetErrorName(status), int(status), cudaGetErrorString(status));
}

std::string failure_of(cudnnStatus_t status) {
  char detail[512] = "";
  cudnnGetLastErrorString(detail, sizeof detail);
  return fmt::format("{} ({}){}{}", cudnnGetErrorString(status), int(status), detail[0] != '\0' ? ": " : "",
                     detail);
}

std::string failure_of(cublasStatus_t status) {
  return fmt::format("{} ({})", cublasLtGetStatusName(status), int(status));
}

#ifdef DPX_HAVE_NCCL
std::string failure_of(ncclResult_t status) {
  return fmt::format("{} ({})", ncclGetErrorString(status), int(status));
}
#endif

Exit exit_code_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorNoKernelImageForDevice:
      return Exit::unavailable;
    default:
      return Exit::internal;
  }
}

void throw_failure(Exit code, const std::string& failure, const char* call, const char* file, int line) {
  int device = -1;
  const bool known = cudaGetDevice(&device) == cudaSuccess;
  cudaGetLastError();  // this failure is reported here, not by a later call
  throw Error(code, fmt::format("{}: {}: {} [{}:{}]", known ? fmt::format("cuda:{}", device) : "cuda", call,
                                failure, from_root(file), line));
}

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess) throw_failure(exit_code_of(status), failure_of(status), call, file, line);
}

void note_failure(const std::string& failure, const char* call) noexcept {
  try {
    spdlog::debug("{}: {}", call, failure);
  } catch (...) {  // nothing is left to tell it to
  }
}

bool is_reached(cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  check(status, "cudaEventQuery", __FILE__, __LINE__);
  return true;
}

void use_device(int device) {
  DPX_CHECK(cudaSetDevice(device));
}

}  // namespace dpx::cuda
