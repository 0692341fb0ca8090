#include "kernels/cuda/lenet.cuh"

#include "kernels/cuda/grid.hpp"
#include "kernels/cuda/launch.hpp"

namespace dpx::cuda {

void launch_set_arguments(cudaStream_t stream, StepArguments* where, const StepArguments& value) {
  set_arguments_kernel<<<1, 1, 0, stream>>>(where, value);
  DPX_CHECK(cudaGetLastError());
}

void launch_gather(cudaStream_t stream, const StepArguments* arguments, DType pixels, float* x, int n) {
  const unsigned blocks = blocks_for(std::size_t(n) * kUsedPixels);
  if (pixels == DType::u8)
    gather_kernel<std::uint8_t><<<blocks, kThreads, 0, stream>>>(arguments, x, n);
  else
    gather_kernel<float><<<blocks, kThreads, 0, stream>>>(arguments, x, n);
  DPX_CHECK(cudaGetLastError());
}

void launch_bias_relu(cudaStream_t stream, float* y, const float* bias, int n, int channels, int cells) {
  const std::size_t total = std::size_t(n) * channels * cells;
  bias_relu_kernel<<<blocks_for(total), kThreads, 0, stream>>>(y, bias, channels, cells, total);
  DPX_CHECK(cudaGetLastError());
}

void launch_relu_channel_sums(cudaStream_t stream, float* dy, const float* y, float* partials, int n,
                              int channels, int cells) {
  const dim3 grid(unsigned(channels), kSumSlices);
  relu_channel_sums_kernel<<<grid, kSumThreads, 0, stream>>>(dy, y, partials, n, channels, cells);
  DPX_CHECK(cudaGetLastError());
}

namespace {
constexpr unsigned kColumnThreads = 64;  // LeNet has few columns: small blocks spread them over the GPU
unsigned column_blocks(int columns) {
  return (unsigned(columns) + kColumnThreads - 1) / kColumnThreads;
}
}  // namespace

void launch_column_sums(cudaStream_t stream, float* dy, const float* y, float* partials, int rows,
                        int columns) {
  const dim3 grid(column_blocks(columns), kSumSlices);
  column_sums_kernel<<<grid, kColumnThreads, 0, stream>>>(dy, y, partials, rows, columns);
  DPX_CHECK(cudaGetLastError());
}

void launch_finish_sums(cudaStream_t stream, const SumTable& table) {
  int longest = 0;
  for (const PartialSums& sums : table.sums) longest = std::max(longest, sums.count);
  finish_sums_kernel<<<dim3(column_blocks(longest), 4), kColumnThreads, 0, stream>>>(table);
  DPX_CHECK(cudaGetLastError());
}

void launch_softmax_loss(cudaStream_t stream, const StepArguments* arguments, const float* logits,
                         float* dlogits, int n) {
  constexpr unsigned kLossThreads = 32;  // little work per example: as many SMs as possible
  softmax_loss_kernel<<<(unsigned(n) + kLossThreads - 1) / kLossThreads, kLossThreads, 0, stream>>>(
      arguments, logits, dlogits, n);
  DPX_CHECK(cudaGetLastError());
}

}  // namespace dpx::cuda
