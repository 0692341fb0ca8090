#pragma once
// Which of cuDNN's algorithms: by rule, never by timing, so that two runs give the same bits.
#include <cudnn.h>

#include <span>
#include <string>

#include "kernels/cuda/check_libraries.hpp"

namespace dpx::cuda {

struct ConvolutionAlgorithms {
  cudnnConvolutionFwdAlgo_t forward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  cudnnConvolutionBwdDataAlgo_t backward_data = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  cudnnConvolutionBwdFilterAlgo_t backward_weights = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
};

/// Sums in transformed space (FFT, Winograd) round more than a plain fp32 sum.
inline bool plain_sums(cudnnConvolutionFwdAlgo_t a) {
  return a == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         a == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM || a == CUDNN_CONVOLUTION_FWD_ALGO_GEMM;
}
/// ALGO_0 and, of the filter's, ALGO_3 add in no fixed order.
inline bool plain_sums(cudnnConvolutionBwdDataAlgo_t a) {
  return a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
}
inline bool plain_sums(cudnnConvolutionBwdFilterAlgo_t a) {
  return a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
}

/// The first of cuDNN's proposals, which come fastest first, that is deterministic, sums plainly, computes in
/// `math` and needs at most `workspace_limit` bytes; else `fallback`. `Perf` is one of
/// cudnnConvolution*AlgoPerf_t.
template <class Perf, class Algorithm>
Algorithm pick(std::span<const Perf> proposals, cudnnMathType_t math, std::size_t workspace_limit,
               Algorithm fallback) {
  for (const Perf& p : proposals)
    if (p.status == CUDNN_STATUS_SUCCESS && p.determinism == CUDNN_DETERMINISTIC && plain_sums(p.algo) &&
        (p.mathType == math || p.mathType == CUDNN_DEFAULT_MATH) && p.memory <= workspace_limit)
      return p.algo;
  return fallback;
}

/// "fwd 1, data 1, weights 1": cuDNN's numbers.
std::string describe(const ConvolutionAlgorithms& algorithms, bool input_gradient);

}  // namespace dpx::cuda
