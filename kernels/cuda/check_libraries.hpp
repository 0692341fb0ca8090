#pragma once
// DPX_CHECK for cuDNN, cuBLASLt and NCCL.
#include <cublasLt.h>
#include <cudnn.h>
#ifdef DPX_HAVE_NCCL
#include <nccl.h>
#endif

#include "kernels/cuda/check.hpp"

namespace dpx::cuda {

std::string failure_of(cudnnStatus_t status);
std::string failure_of(cublasStatus_t status);
/// Missing memory, or a library that cannot start, is no fault of dpx.
inline Exit exit_code_of(cudnnStatus_t status) {
  const bool missing = status == CUDNN_STATUS_NOT_INITIALIZED ||
                       status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
                       status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return missing ? Exit::unavailable : Exit::internal;
}
inline Exit exit_code_of(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_INITIALIZED || status == CUBLAS_STATUS_ALLOC_FAILED ? Exit::unavailable
                                                                                         : Exit::internal;
}
#ifdef DPX_HAVE_NCCL
std::string failure_of(ncclResult_t status);
#endif

}  // namespace dpx::cuda
