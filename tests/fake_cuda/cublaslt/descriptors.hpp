#pragma once
// What cublasLt's opaque types hold here. The public types are blocks of words; each descriptor lives in its
// block's first word as a pointer.
#include <cublasLt.h>

#include "tests/fake_cuda/runtime/library.hpp"

namespace fake {

/// A column-major fp32 matrix.
struct Layout {
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  /// Bytes from the first element to behind the last.
  std::size_t bytes() const { return (std::size_t(ld) * (columns - 1) + rows) * sizeof(float); }
};

struct MatmulDesc {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  void* aux = nullptr;
  std::int64_t aux_ld = 0;  ///< of the ReLU mask, in bits
};

struct Preference {
  std::uint64_t workspace_bytes = 0;
  std::uint32_t alignment[4] = {256, 256, 256, 256};  ///< promised for A, B, C, D
};

/// What cublasLtMatmulAlgo_t holds: an algorithm is good for the promises it was chosen under.
struct Algo {
  std::uint64_t magic;
  std::uint64_t workspace_bytes;
  std::uint32_t alignment[4];
};
constexpr std::uint64_t kAlgoMagic = 0x66616b65616c676f;

template <class T, class Handle>
T& content(Handle handle) {
  require_else(handle != nullptr && handle->data[0] != 0, CUBLAS_STATUS_INVALID_VALUE);
  return *reinterpret_cast<T*>(handle->data[0]);
}

template <class T, class Opaque>
void create(Opaque** handle, T value) {
  *handle = new Opaque{};
  (*handle)->data[0] = reinterpret_cast<std::uint64_t>(new T(value));
}

template <class T, class Opaque>
void destroy(Opaque* handle) {
  if (!handle) return;
  delete &content<T>(handle);
  delete handle;
}

template <class Body>
cublasStatus_t cublas_call(const char* function, Body body) {
  return library_call(function, CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_EXECUTION_FAILED, body);
}

inline void require_valid(bool holds) {
  require_else(holds, CUBLAS_STATUS_INVALID_VALUE);
}

/// The operation's matrices: D (m,n) = epilogue(alpha op(A) (m,k) op(B) (k,n) + beta C). Errors: sizes that
/// do not fit.
struct Product {
  MatmulDesc desc;
  Layout a, b, c, d;
  std::size_t m, n, k;
};
Product product_of(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                   cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d);

/// What the epilogue reads and writes beside D.
std::vector<Touched> touched_by_epilogue(const Product& product);

/// Carries out the product.
void multiply(const Product& product, float alpha, const float* a, const float* b, float beta, const float* c,
              float* d);

}  // namespace fake
