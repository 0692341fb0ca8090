#pragma once
// Launches of the kernels in *.cuh on a stream of the current device; plain pointers and sizes across the
// border. Async. Errors: a refused launch throws as DPX_CHECK does.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/step_arguments.hpp"
#include "lib/core/bf16.hpp"
#include "lib/device/slice.hpp"

namespace dpx::cuda {

/// dst += src, fp32 or bf16.
void launch_add(cudaStream_t stream, Slice dst, Slice src);
/// dst = src between fp32 and bf16.
void launch_convert(cudaStream_t stream, Slice dst, Slice src);
void launch_axpy(cudaStream_t stream, float* dst, float a, const float* src, std::size_t n);
void launch_scale(cudaStream_t stream, float* dst, float a, std::size_t n);
/// dst = src by a kernel, in the widest words that both addresses allow.
void launch_move(cudaStream_t stream, void* dst, const void* src, std::size_t bytes);

void launch_set_arguments(cudaStream_t stream, StepArguments* where, const StepArguments& value);
/// x = the examples' pixels, cropped to 26x26; u8 is scaled by 1/255. Shapes: x (n,1,26,26).
void launch_gather(cudaStream_t stream, const StepArguments* arguments, DType pixels, float* x, int n);
/// y = max(y + bias, 0), a bias per channel. Shapes: y (n,channels,cells); bias (channels).
void launch_bias_relu(cudaStream_t stream, float* y, const float* bias, int n, int channels, int cells);
/// dy = 0 where y is; partial sums of dy per channel. Shapes: dy, y (n,channels,cells); partials
/// (kSumSlices,channels).
void launch_relu_channel_sums(cudaStream_t stream, float* dy, const float* y, float* partials, int n,
                              int channels, int cells);
/// dy = 0 where y is (y null: dy stays); partial sums of dy per column. Shapes: dy, y (rows,columns);
/// partials (kSumSlices,columns).
void launch_column_sums(cudaStream_t stream, float* dy, const float* y, float* partials, int rows,
                        int columns);
/// The bias gradients: each the sum of its partial sums, in order.
void launch_finish_sums(cudaStream_t stream, const SumTable& table);
/// Losses and hits of a batch; dlogits = gradient of the summed losses (null: none). Shapes: logits, dlogits
/// (n,10).
void launch_softmax_loss(cudaStream_t stream, const StepArguments* arguments, const float* logits,
                         float* dlogits, int n);

}  // namespace dpx::cuda
