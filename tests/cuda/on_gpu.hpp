#pragma once
// Arrays on GPU 0 for tests of kernels and library calls: poisoned, guarded, compared with float64.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "kernels/cuda/handles.hpp"
#include "lib/core/philox.hpp"
#include "lib/device/slice.hpp"

namespace dpx::test {

/// A stream of GPU 0, which is made current.
class GpuTest : public testing::Test {
 protected:
  GpuTest() : stream_(make()) {}
  cudaStream_t stream() const { return stream_.get(); }

 private:
  static cuda::StreamHandle make() {
    cuda::use_device(0);
    return cuda::make_stream();
  }
  cuda::StreamHandle stream_;
};

/// An array on the current GPU. Every byte is 0xff (NaN in fp32 and bf16) until it is written, and so are the
/// elements behind the end, which nobody may write.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(cudaStream_t stream, std::size_t count)
      : stream_(stream), count_(count), memory_(cuda::allocate_device(bytes())) {
    DPX_CHECK(cudaMemsetAsync(memory_.get(), 0xff, bytes(), stream_));
  }
  OnGpu(cudaStream_t stream, const std::vector<T>& values) : OnGpu(stream, values.size()) {
    DPX_CHECK(cudaMemcpyAsync(memory_.get(), values.data(), count_ * sizeof(T), cudaMemcpyDefault, stream_));
    DPX_CHECK(cudaStreamSynchronize(stream_));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  Slice slice(DType dtype) const { return {memory_.get(), count_, dtype}; }
  /// What is there when the stream's work is done; fails the test where something was written behind it.
  std::vector<T> read() const {
    std::vector<T> all(count_ + kGuard), untouched(kGuard);
    DPX_CHECK(cudaMemcpyAsync(all.data(), memory_.get(), bytes(), cudaMemcpyDefault, stream_));
    DPX_CHECK(cudaStreamSynchronize(stream_));
    std::memset(static_cast<void*>(untouched.data()), 0xff, kGuard * sizeof(T));
    EXPECT_EQ(std::memcmp(all.data() + count_, untouched.data(), kGuard * sizeof(T)), 0)
        << "written behind the end";
    all.resize(count_);
    return all;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  std::size_t bytes() const { return (count_ + kGuard) * sizeof(T); }
  cudaStream_t stream_;
  std::size_t count_;
  cuda::DeviceMemory memory_;
};

/// Standard normal numbers; each `draw` has its own.
inline std::vector<float> normal_numbers(std::size_t count, std::uint32_t draw) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(philox_normal(5, 200 + draw, i));
  return values;
}

inline std::vector<double> widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

/// Batches on which everything is tried: one example, few, and more than a warp but no multiple of anything.
inline constexpr int kBatches[] = {1, 3, 37};

/// What a result may be off by, relative to the largest value.
inline constexpr double kFp32Limit = 1e-5, kTf32Limit = 1e-3;

}  // namespace dpx::test
