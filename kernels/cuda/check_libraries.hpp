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
#ifdef DPX_HAVE_NCCL
std::string failure_of(ncclResult_t status);
#endif

}  // namespace dpx::cuda
