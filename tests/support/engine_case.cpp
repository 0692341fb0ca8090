#include "tests/support/engine_case.hpp"

#include <cmath>
#include <limits>

#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/lenet_engine.hpp"
#include "lib/core/philox.hpp"

namespace dpx::test {
namespace {

constexpr std::uint64_t kSeed = 3;

template <class T>
Slice slice_of(const std::vector<T>& values, DType dtype) {
  return {const_cast<T*>(values.data()), values.size(), dtype};
}

std::vector<float> he_params(const LeNet& model) {
  std::vector<float> params(model.num_params());
  const double fan_in[] = {9, 25.0 * model.conv1_channels(), double(model.flat()), double(model.hidden())};
  for (int t = 0; t < LeNet::kNumTensors; ++t) {
    const double deviation = t % 2 ? 0.05 : std::sqrt(2 / fan_in[t / 2]);
    const Range r = model.range(LeNet::Tensor(t));
    for (std::size_t i = 0; i < r.count; ++i)
      params[r.first + i] = float(deviation * philox_normal(kSeed, std::uint32_t(t), i));
  }
  return params;
}

EngineOutput poisoned(std::size_t grads, std::size_t examples) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  return {std::vector<float>(grads, nan), std::vector<float>(examples, nan),
          std::vector<std::uint8_t>(examples, 255), ""};
}

Scores scores_of(EngineOutput& out) {
  return {slice_of(out.losses, DType::f32), slice_of(out.correct, DType::u8)};
}

}  // namespace

EngineCase::EngineCase(int width, std::size_t size, Init init, DType type) : model(width), dtype(type) {
  params = init == Init::chapter ? initial_params(model, kSeed) : he_params(model);
  const std::size_t pixels = size * LeNet::kPixels;
  for (std::size_t i = 0; i < pixels && dtype == DType::u8; ++i)  // half of the pixels black
    images_u8.push_back(philox_below(2, kSeed, 100, i) ? std::uint8_t(philox_below(256, kSeed, 101, i)) : 0);
  for (std::size_t i = 0; i < pixels && dtype == DType::f32; ++i)
    images_f32.push_back(float(philox_normal(kSeed, 102, i)));
  for (std::size_t i = 0; i < size; ++i) {
    labels.push_back(std::uint8_t(philox_below(10, kSeed, 103, i)));
    order.push_back(std::int32_t(size - 1 - i));
  }
}

Shard EngineCase::shard(Range range) const {
  const Slice images = dtype == DType::u8 ? slice_of(images_u8, dtype) : slice_of(images_f32, dtype);
  return {images, slice_of(labels, DType::u8), slice_of(order, DType::i32).sub(range)};
}

EngineOutput EngineCase::train(Range range, int threads) const {
  Team team(threads);
  CpuStream stream(std::make_shared<StickyError>());
  const auto engine = make_cpu_engine(team, model, range.count);
  EngineOutput out = poisoned(model.num_params(), range.count);
  engine->forward_backward(stream, shard(range), slice_of(params, DType::f32),
                           slice_of(out.grads, DType::f32), scores_of(out));
  stream.synchronize();
  out.engine = engine->name();
  return out;
}

EngineOutput EngineCase::evaluate(Range range, int threads) const {
  Team team(threads);
  CpuStream stream(std::make_shared<StickyError>());
  const auto engine = make_cpu_engine(team, model, range.count);
  EngineOutput out = poisoned(0, range.count);
  engine->evaluate(stream, shard(range), slice_of(params, DType::f32), scores_of(out));
  stream.synchronize();
  out.engine = engine->name();
  return out;
}

std::vector<double> EngineCase::image(std::size_t i) const {
  std::vector<double> pixels(LeNet::kPixels);
  const std::size_t first = std::size_t(order[i]) * LeNet::kPixels;
  for (std::size_t p = 0; p < pixels.size(); ++p)
    pixels[p] = dtype == DType::u8 ? images_u8[first + p] / 255.0 : double(images_f32[first + p]);
  return pixels;
}

}  // namespace dpx::test
