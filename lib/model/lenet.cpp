#include "lib/model/lenet.hpp"

#include "lib/core/philox.hpp"

namespace dpx {

LeNet::LeNet(int width) : width_(width) {
  const int c1 = conv1_channels(), c2 = conv2_channels(), f = flat(), h = hidden();
  const auto add = [this](std::string_view name, std::vector<int> shape) {
    std::size_t count = 1;
    for (int extent : shape) count *= std::size_t(extent);
    const std::size_t first = tensors_.empty() ? 0 : tensors_.back().elements.end();
    tensors_.push_back({name, std::move(shape), {first, count}});
  };
  add("conv1.weight", {c1, 1, 3, 3});
  add("conv1.bias", {c1});
  add("conv2.weight", {c2, c1, 5, 5});
  add("conv2.bias", {c2});
  add("fc1.weight", {f, h});
  add("fc1.bias", {h});
  add("fc2.weight", {h, kClasses});
  add("fc2.bias", {kClasses});
}

std::int64_t LeNet::forward_macs() const {
  const std::int64_t c1 = conv1_channels(), c2 = conv2_channels(), f = flat(), h = hidden();
  return c1 * 26 * 26 * 9 + c2 * 9 * 9 * c1 * 25 + f * h + h * kClasses;
}

std::int64_t LeNet::training_macs() const {
  const std::int64_t conv1 = std::int64_t{conv1_channels()} * 26 * 26 * 9;
  return 3 * forward_macs() - conv1;
}

std::vector<float> initial_params(const LeNet& model, std::uint64_t seed) {
  std::vector<float> params(model.num_params(), 0.0f);
  std::uint32_t stream = std::uint32_t(Draw::params);
  for (const ParamTensor& t : model.tensors()) {
    if (t.shape.size() > 1)  // weights; biases stay 0
      for (std::size_t i = 0; i < t.elements.count; ++i)
        params[t.elements.first + i] = float(0.01 * philox_normal(seed, stream, i));
    ++stream;
  }
  return params;
}

}  // namespace dpx
