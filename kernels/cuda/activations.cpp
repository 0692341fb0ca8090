#include "kernels/cuda/activations.hpp"

#include <vector>

namespace dpx::cuda {
namespace {

/// Hands out consecutive pieces of memory that is allocated once their sizes are known.
class Layout {
 public:
  template <class T>
  void add(T*& place, std::size_t count) {
    constexpr std::size_t kAlignment = 256;  // what cudaMalloc gives; cuBLASLt's fastest kernels want it
    pieces_.push_back({reinterpret_cast<void**>(&place), bytes_});
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }
  DeviceMemory allocate() const {
    DeviceMemory memory = allocate_device(bytes_);
    for (const auto& [place, offset] : pieces_) *place = static_cast<char*>(memory.get()) + offset;
    return memory;
  }

 private:
  std::vector<std::pair<void**, std::size_t>> pieces_;
  std::size_t bytes_ = 0;
};

}  // namespace

Activations::Activations(const LeNet& model, std::size_t n) {
  const auto c1 = std::size_t(model.conv1_channels()), c2 = std::size_t(model.conv2_channels());
  const auto flat = std::size_t(model.flat()), units = std::size_t(model.hidden());
  Layout layout;
  layout.add(arguments, 1);
  layout.add(x, n * kUsedPixels);
  for (float** place : {&conv1, &dconv1}) layout.add(*place, n * c1 * kConv1Side * kConv1Side);
  for (float** place : {&pool1, &dpool1}) layout.add(*place, n * c1 * kPool1Side * kPool1Side);
  for (float** place : {&conv2, &dconv2}) layout.add(*place, n * c2 * kConv2Side * kConv2Side);
  for (float** place : {&pool2, &dpool2}) layout.add(*place, n * flat);
  for (float** place : {&hidden, &dhidden}) layout.add(*place, n * units);
  for (float** place : {&logits, &dlogits}) layout.add(*place, n * kNumClasses);
  layout.add(conv1_sums, c1 * kSumSlices);
  layout.add(conv2_sums, c2 * kSumSlices);
  layout.add(hidden_sums, units * kSumSlices);
  layout.add(logit_sums, std::size_t(kNumClasses) * kSumSlices);
  memory = layout.allocate();
}

}  // namespace dpx::cuda
