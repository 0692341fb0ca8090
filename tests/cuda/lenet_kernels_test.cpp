// LeNet's own kernels against float64: gathering, bias and ReLU, bias gradients, softmax with loss and
// gradient.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/launch.hpp"
#include "tests/cuda/on_gpu.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx::test {
namespace {

using cuda::kImagePixels;
using cuda::kNumClasses;
using cuda::kSumSlices;
using cuda::kUsedPixels;
using cuda::kUsedSide;

class LeNetKernels : public GpuTest {
 protected:
  OnGpu<cuda::StepArguments> arguments(const cuda::StepArguments& values) {
    OnGpu<cuda::StepArguments> where(stream(), 1);
    cuda::launch_set_arguments(stream(), where.data(), values);
    return where;
  }
};

/// Rows 1, 3, 5, ... backwards: every other image of a set of 2n.
std::vector<std::int32_t> odd_rows(int n) {
  std::vector<std::int32_t> rows;
  for (int i = n - 1; i >= 0; --i) rows.push_back(2 * i + 1);
  return rows;
}

template <class Pixel>
std::vector<double> cropped(const std::vector<Pixel>& images, const std::vector<std::int32_t>& rows,
                            double factor) {
  std::vector<double> x;
  for (const std::int32_t row : rows)
    for (int y = 0; y < kUsedSide; ++y)
      for (int column = 0; column < kUsedSide; ++column)
        x.push_back(factor * double(images[std::size_t(row * kImagePixels + y * cuda::kImageSide + column)]));
  return x;
}

TEST_F(LeNetKernels, GatherCropsAndNormalises) {
  for (const int n : kBatches) {
    const std::vector<std::int32_t> rows = odd_rows(n);
    const std::vector<float> images = normal_numbers(std::size_t(2 * n) * kImagePixels, 10);
    std::vector<std::uint8_t> bytes;
    for (const float value : images) bytes.push_back(std::uint8_t(std::min(255.0, std::abs(value) * 90.0)));
    const OnGpu<float> floats(stream(), images);
    const OnGpu<std::uint8_t> pixels(stream(), bytes);
    const OnGpu<std::int32_t> order(stream(), rows);
    for (const DType dtype : {DType::u8, DType::f32}) {
      const bool u8 = dtype == DType::u8;
      const void* from = u8 ? static_cast<const void*>(pixels.data()) : floats.data();
      const auto where = arguments({from, nullptr, order.data(), nullptr, nullptr});
      const OnGpu<float> x(stream(), std::size_t(n) * kUsedPixels);
      cuda::launch_gather(stream(), where.data(), dtype, x.data(), n);
      const std::vector<double> wanted = u8 ? cropped(bytes, rows, 1 / 255.0) : cropped(images, rows, 1.0);
      EXPECT_LT(relative_error(wanted, x.read()), kFp32Limit) << n;
    }
  }
}

TEST_F(LeNetKernels, BiasAndRelu) {
  constexpr int kChannels = 5, kCells = 9;
  for (const int n : kBatches) {
    const std::vector<float> y = normal_numbers(std::size_t(n * kChannels * kCells), 11),
                             bias = normal_numbers(kChannels, 12);
    const OnGpu<float> values(stream(), y), biases(stream(), bias);
    cuda::launch_bias_relu(stream(), values.data(), biases.data(), n, kChannels, kCells);
    std::vector<double> wanted;
    for (std::size_t i = 0; i < y.size(); ++i)
      wanted.push_back(std::max(0.0, double(y[i]) + double(bias[i / kCells % kChannels])));
    EXPECT_LT(relative_error(wanted, values.read()), kFp32Limit) << n;
  }
}

/// One bias gradient of `count` channels: dy (n,channels,cells) where y is positive, or everywhere without y,
/// summed per channel.
struct BiasGradient {
  BiasGradient(cudaStream_t stream, int n, int count, int cells, bool with_y, std::uint32_t draw)
      : channels(count),
        dy(normal_numbers(std::size_t(n * count * cells), draw)),
        y(normal_numbers(dy.size(), draw + 1)),
        masked(widened(dy)),
        sums(std::size_t(count), 0.0),
        gpu_dy(stream, dy),
        gpu_y(stream, y),
        partials(stream, std::size_t(kSumSlices * count)),
        out(stream, std::size_t(count)) {
    for (std::size_t i = 0; i < dy.size(); ++i) {
      if (with_y && !(y[i] > 0)) masked[i] = 0;
      sums[i / std::size_t(cells) % std::size_t(count)] += masked[i];
    }
  }
  cuda::PartialSums entry() const { return {partials.data(), out.data(), channels}; }
  void expect_right() const {
    EXPECT_LT(relative_error(masked, gpu_dy.read()), kFp32Limit);
    EXPECT_LT(relative_error(sums, out.read()), kFp32Limit);
  }
  int channels;
  std::vector<float> dy, y;
  std::vector<double> masked, sums;
  OnGpu<float> gpu_dy, gpu_y, partials, out;
};

TEST_F(LeNetKernels, BiasGradients) {
  for (const int n : kBatches) {
    SCOPED_TRACE(n);
    const BiasGradient conv1(stream(), n, 3, 25, true, 20), conv2(stream(), n, 7, 4, true, 22),
        hidden(stream(), n, 128, 1, true, 24), logits(stream(), n, kNumClasses, 1, false, 26);
    for (const auto& [sums, cells] : {std::pair{&conv1, 25}, std::pair{&conv2, 4}})
      cuda::launch_relu_channel_sums(stream(), sums->gpu_dy.data(), sums->gpu_y.data(), sums->partials.data(),
                                     n, sums->channels, cells);
    cuda::launch_column_sums(stream(), hidden.gpu_dy.data(), hidden.gpu_y.data(), hidden.partials.data(), n,
                             hidden.channels);
    cuda::launch_column_sums(stream(), logits.gpu_dy.data(), nullptr, logits.partials.data(), n,
                             logits.channels);
    cuda::launch_finish_sums(stream(), {{conv1.entry(), conv2.entry(), hidden.entry(), logits.entry()}});
    for (const BiasGradient* sums : {&conv1, &conv2, &hidden, &logits}) sums->expect_right();
  }
}

TEST_F(LeNetKernels, SoftmaxLossAndGradient) {
  for (const int n : kBatches)
    for (const bool gradients : {true, false}) {
      SCOPED_TRACE(n);
      const std::vector<float> logits = normal_numbers(std::size_t(n * kNumClasses), 30);
      const std::vector<std::int32_t> rows = odd_rows(n);
      std::vector<std::uint8_t> labels(std::size_t(2 * n)), hits;
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = std::uint8_t(philox_below(10, 5, 231, i));
      std::vector<double> losses, dlogits;
      for (int i = 0; i < n; ++i) {
        const float* row = logits.data() + i * kNumClasses;
        const int label = labels[std::size_t(rows[std::size_t(i)])];
        double sum = 0;
        for (int c = 0; c < kNumClasses; ++c) sum += std::exp(double(row[c]));
        losses.push_back(std::log(sum) - double(row[label]));
        hits.push_back(std::max_element(row, row + kNumClasses) - row == label);
        for (int c = 0; c < kNumClasses; ++c)
          dlogits.push_back(std::exp(double(row[c])) / sum - (c == label));
      }
      const OnGpu<float> in(stream(), logits), loss(stream(), std::size_t(n)), out(stream(), logits.size());
      const OnGpu<std::uint8_t> label(stream(), labels), correct(stream(), std::size_t(n));
      const OnGpu<std::int32_t> order(stream(), rows);
      const auto where = arguments({nullptr, label.data(), order.data(), loss.data(), correct.data()});
      cuda::launch_softmax_loss(stream(), where.data(), in.data(), gradients ? out.data() : nullptr, n);
      EXPECT_LT(relative_error(losses, loss.read()), kFp32Limit);
      EXPECT_EQ(correct.read(), hits);
      if (gradients) {
        EXPECT_LT(relative_error(dlogits, out.read()), kFp32Limit);
      } else {
        EXPECT_TRUE(std::isnan(out.read()[0])) << "written, though no gradient was asked for";
      }
    }
}

}  // namespace
}  // namespace dpx::test
