#include "kernels/cuda/vector_ops.cuh"

#include "kernels/cuda/grid.hpp"
#include "kernels/cuda/launch.hpp"

namespace dpx::cuda {

void launch_add(cudaStream_t stream, Slice dst, Slice src) {
  const std::size_t n = dst.count;
  if (n == 0) return;
  if (dst.dtype == DType::bf16)
    add_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst.as<Bf16>(), src.as<const Bf16>(), n);
  else
    add_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst.as<float>(), src.as<const float>(), n);
  DPX_CHECK(cudaGetLastError());
}

void launch_convert(cudaStream_t stream, Slice dst, Slice src) {
  const std::size_t n = dst.count;
  if (n == 0) return;
  if (dst.dtype == DType::bf16)
    convert_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst.as<Bf16>(), src.as<const float>(), n);
  else
    convert_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst.as<float>(), src.as<const Bf16>(), n);
  DPX_CHECK(cudaGetLastError());
}

void launch_axpy(cudaStream_t stream, float* dst, float a, const float* src, std::size_t n) {
  if (n == 0) return;
  axpy_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst, a, src, n);
  DPX_CHECK(cudaGetLastError());
}

void launch_scale(cudaStream_t stream, float* dst, float a, std::size_t n) {
  if (n == 0) return;
  scale_kernel<<<blocks_for(n), kThreads, 0, stream>>>(dst, a, n);
  DPX_CHECK(cudaGetLastError());
}

namespace {

template <class Word>
void move_words(cudaStream_t stream, void* dst, const void* src, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(Word);
  move_kernel<<<blocks_for(n), kThreads, 0, stream>>>(static_cast<Word*>(dst), static_cast<const Word*>(src),
                                                      n);
  DPX_CHECK(cudaGetLastError());
}

}  // namespace

void launch_move(cudaStream_t stream, void* dst, const void* src, std::size_t bytes) {
  if (bytes == 0) return;
  const auto low_bits = reinterpret_cast<std::uintptr_t>(dst) | reinterpret_cast<std::uintptr_t>(src) | bytes;
  if (low_bits % sizeof(uint4) == 0) return move_words<uint4>(stream, dst, src, bytes);
  if (low_bits % sizeof(std::uint32_t) == 0) return move_words<std::uint32_t>(stream, dst, src, bytes);
  if (low_bits % sizeof(std::uint16_t) == 0) return move_words<std::uint16_t>(stream, dst, src, bytes);
  move_words<std::uint8_t>(stream, dst, src, bytes);
}

}  // namespace dpx::cuda
