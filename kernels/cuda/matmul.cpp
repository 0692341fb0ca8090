#include "kernels/cuda/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace dpx::cuda {
namespace {

constexpr float kOne = 1.0f, kZero = 0.0f;

template <class T>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  DPX_CHECK(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value));
}
template <class T>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const T& value) {
  DPX_CHECK(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value));
}

/// A row-major matrix is the column-major one of its transpose.
cublasLtMatrixLayout_t layout(int rows, int columns) {
  cublasLtMatrixLayout_t made = nullptr;
  DPX_CHECK(
      cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, std::uint64_t(columns), std::uint64_t(rows), columns));
  return made;
}

std::uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return address == 0 ? 256 : std::min(256u, 1u << std::countr_zero(address));
}

cublasOperation_t operation(bool transposed) {
  return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

cublasLtEpilogue_t epilogue_of(Epilogue epilogue) {
  if (epilogue == Epilogue::bias) return CUBLASLT_EPILOGUE_BIAS;
  return epilogue == Epilogue::bias_relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

}  // namespace

// cuBLASLt computes D' = B' A' on the column-major views, so its A is our B.
Matmul::Matmul(cublasLtHandle_t handle, const MatmulShape& s, Epilogue epilogue, bool tf32,
               const Operands& operands, std::size_t workspace_bytes)
    : handle_(handle), epilogue_(epilogue) {
  const cublasComputeType_t type = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  DPX_CHECK(cublasLtMatmulDescCreate(&product_, type, CUDA_R_32F));
  set(product_, CUBLASLT_MATMUL_DESC_TRANSA, operation(s.transposed_b));
  set(product_, CUBLASLT_MATMUL_DESC_TRANSB, operation(s.transposed_a));
  set(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(epilogue));
  a_ = s.transposed_a ? layout(s.inner, s.rows) : layout(s.rows, s.inner);
  b_ = s.transposed_b ? layout(s.columns, s.inner) : layout(s.inner, s.columns);
  d_ = layout(s.rows, s.columns);
  choose_algorithm(operands, workspace_bytes);
}

Matmul::~Matmul() {
  for (const cublasLtMatrixLayout_t made : {a_, b_, d_})
    if (made != nullptr) DPX_CHECK_QUIET(cublasLtMatrixLayoutDestroy(made));
  if (product_ != nullptr) DPX_CHECK_QUIET(cublasLtMatmulDescDestroy(product_));
}

// The heuristic's first choice is a function of shape, GPU and library version: the same in every run.
void Matmul::choose_algorithm(const Operands& operands, std::size_t workspace_bytes) {
  const Descriptor<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceCreate,
                   cublasLtMatmulPreferenceDestroy>
      preference;
  set(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace_bytes));
  set(preference.get(), CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      std::uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  const std::uint32_t of_d = std::min(alignment_of(operands.d), alignment_of(operands.bias));
  set(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(operands.b));
  set(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(operands.a));
  set(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, of_d);
  set(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, of_d);
  if (epilogue_ != Epilogue::none) set(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  DPX_CHECK(cublasLtMatmulAlgoGetHeuristic(handle_, product_, b_, a_, d_, d_, preference.get(), 1, &result,
                                           &found));
  if (found == 0) throw Error(Exit::internal, "cuBLASLt knows no algorithm for a product of LeNet");
  algorithm_ = result.algo;
}

void Matmul::run(cudaStream_t stream, const Operands& o, Workspace workspace) const {
  if (epilogue_ != Epilogue::none) set(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, o.bias);
  DPX_CHECK(cublasLtMatmul(handle_, product_, &kOne, o.b, b_, o.a, a_, &kZero, o.d, d_, o.d, d_, &algorithm_,
                           workspace.data, workspace.bytes, stream));
}

}  // namespace dpx::cuda
