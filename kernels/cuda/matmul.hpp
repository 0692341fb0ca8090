#pragma once
// cuBLASLt's matrix products with bias and ReLU epilogues, fp32. One plan per shape, its algorithm fixed when
// the plan is made.
#include <cublasLt.h>

#include "kernels/cuda/convolution.hpp"  // Descriptor, Workspace

namespace dpx::cuda {

using BlasHandle = Descriptor<cublasLtHandle_t, cublasLtCreate, cublasLtDestroy>;

enum class Epilogue { none, bias, bias_relu };

/// Row-major product D (rows,columns) = A (rows,inner) x B (inner,columns). A transposed operand is stored as
/// its transpose.
struct MatmulShape {
  int rows, columns, inner;
  bool transposed_a = false, transposed_b = false;
};

/// D = A B, D = A B + bias or D = max(A B + bias, 0); bias is added to each row. Shapes: bias (columns).
class Matmul {
 public:
  /// The operands' alignments are read from the pointers; later calls must keep to them.
  struct Operands {
    const float *a, *b;
    float* d;
    const float* bias = nullptr;
  };
  Matmul(cublasLtHandle_t handle, const MatmulShape& shape, Epilogue epilogue, bool tf32,
         const Operands& operands, std::size_t workspace_bytes);
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;
  ~Matmul();
  void run(cudaStream_t stream, const Operands& operands, Workspace workspace) const;

 private:
  void choose_algorithm(const Operands& operands, std::size_t workspace_bytes);
  cublasLtHandle_t handle_;
  Epilogue epilogue_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace dpx::cuda
