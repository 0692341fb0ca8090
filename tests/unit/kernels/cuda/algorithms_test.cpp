// The rule that picks cuDNN's algorithms, on made-up proposals. Built where cuDNN's headers are.
#include "kernels/cuda/algorithms.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dpx::cuda {
namespace {

using Perf = cudnnConvolutionFwdAlgoPerf_t;

Perf proposal(cudnnConvolutionFwdAlgo_t algorithm, std::size_t memory = 0,
              cudnnMathType_t math = CUDNN_FMA_MATH) {
  return {algorithm, CUDNN_STATUS_SUCCESS, 1.0f, memory, CUDNN_DETERMINISTIC, math, {0, 0, 0}};
}

cudnnConvolutionFwdAlgo_t picked(const std::vector<Perf>& proposals) {
  return pick(std::span<const Perf>(proposals), CUDNN_FMA_MATH, 1000,
              CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
}

TEST(Algorithms, TheFastestThatFitsIsPicked) {
  EXPECT_EQ(picked({proposal(CUDNN_CONVOLUTION_FWD_ALGO_GEMM, 2000),
                    proposal(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, 1000)}),
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
}

TEST(Algorithms, TransformedSumsAndTensorCoresAreLeftOut) {
  EXPECT_EQ(picked({proposal(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD), proposal(CUDNN_CONVOLUTION_FWD_ALGO_FFT),
                    proposal(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, 0, CUDNN_TENSOR_OP_MATH),
                    proposal(CUDNN_CONVOLUTION_FWD_ALGO_GEMM)}),
            CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
}

TEST(Algorithms, WhatDoesNotRepeatIsLeftOut) {
  Perf random = proposal(CUDNN_CONVOLUTION_FWD_ALGO_GEMM), broken = proposal(CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
  random.determinism = CUDNN_NON_DETERMINISTIC;
  broken.status = CUDNN_STATUS_NOT_SUPPORTED;
  EXPECT_EQ(picked({random, broken}), CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
  EXPECT_FALSE(plain_sums(CUDNN_CONVOLUTION_BWD_DATA_ALGO_0));
  EXPECT_FALSE(plain_sums(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0));
  EXPECT_FALSE(plain_sums(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3));
}

}  // namespace
}  // namespace dpx::cuda
