// The whole forward and backward pass of the CUDA engine, tensor by tensor: against float64, and against the
// CPU engine on the same shard.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cuda/cuda_backend.hpp"
#include "lib/comm/group.hpp"
#include "tests/cuda/on_gpu.hpp"
#include "tests/support/engine_case.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx::test {
namespace {

/// One GPU with an engine and a case's data on it.
class GpuEngine {
 public:
  GpuEngine(const EngineCase& c, const std::string& math, bool graph, std::size_t max_shard)
      : case_(c), backend_(make()), group_(backend_->open(request(math, graph))) {
    engine_ = backend_->make_engine(device(), c.model, max_shard);
    images_ = c.dtype == DType::u8 ? upload(c.images_u8) : upload(c.images_f32);
    labels_ = upload(c.labels);
    order_ = upload(c.order);
    params_ = upload(c.params);
  }
  ~GpuEngine() { group_.drain(); }
  /// `times` passes over examples `range`; outputs are poisoned before each.
  EngineOutput train(Range range, int times = 1) { return run(range, true, times); }
  EngineOutput evaluate(Range range) { return run(range, false, 1); }

 private:
  static std::unique_ptr<Backend> make() {
    std::string reason;
    std::unique_ptr<Backend> backend(dpx_cuda_backend(&reason));
    if (!backend) throw Error(Exit::unavailable, reason);
    return backend;
  }
  static DeviceRequest request(const std::string& math, bool graph) {
    DeviceRequest r;
    r.math = math;
    r.graph = graph;
    return r;
  }
  Device& device() { return group_.device(0); }
  template <class T>
  Buffer upload(const std::vector<T>& values) {
    return device().upload(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  void copy(Slice dst, const std::vector<T>& host) {
    device().compute().copy(dst, {const_cast<T*>(host.data()), host.size(), dst.dtype});
  }
  template <class T>
  void read(std::vector<T>& host, Slice src) {
    device().compute().copy({host.data(), host.size(), src.dtype}, src);
  }
  EngineOutput run(Range range, bool gradients, int times);

  const EngineCase& case_;
  std::unique_ptr<Backend> backend_;
  Group group_;
  std::unique_ptr<ModelEngine> engine_;
  Buffer images_, labels_, order_, params_;
};

EngineOutput GpuEngine::run(Range range, bool gradients, int times) {
  const Buffer grads = device().allocate(gradients ? case_.params.size() * sizeof(float) : 0),
               losses = device().allocate(range.count * sizeof(float)),
               correct = device().allocate(range.count);
  const Shard shard{images_.slice(case_.dtype), labels_.slice(DType::u8),
                    order_.slice(DType::i32).sub(range)};
  const Scores scores{losses.slice(DType::f32), correct.slice(DType::u8)};
  const EngineOutput unset{std::vector<float>(grads.bytes() / sizeof(float), NAN),
                           std::vector<float>(range.count, NAN), std::vector<std::uint8_t>(range.count, 255),
                           engine_->name()};
  EngineOutput out = unset;
  for (int i = 0; i < times; ++i) {
    copy(grads.slice(DType::f32), unset.grads);
    copy(losses.slice(DType::f32), unset.losses);
    copy(correct.slice(DType::u8), unset.correct);
    if (gradients)
      engine_->forward_backward(device().compute(), shard, params_.slice(DType::f32), grads.slice(DType::f32),
                                scores);
    else
      engine_->evaluate(device().compute(), shard, params_.slice(DType::f32), scores);
  }
  read(out.grads, grads.slice(DType::f32));
  read(out.losses, losses.slice(DType::f32));
  read(out.correct, correct.slice(DType::u8));
  group_.synchronize();
  return out;
}

/// What float64 says of examples `range`.
struct Wanted {
  Wanted(const EngineCase& c, Range range) : grads(c.params.size(), 0.0) {
    ReferenceLeNet reference(c.model, c.params);
    for (std::size_t i = range.first; i < range.end(); ++i) {
      const auto result = reference.forward_backward(c.image(i), c.label(i), grads);
      losses.push_back(result.loss);
      correct.push_back(result.best() == c.label(i));
    }
  }
  std::vector<double> grads, losses;
  std::vector<std::uint8_t> correct;
};

void expect_fp32(const EngineCase& c, const Wanted& wanted, const EngineOutput& found) {
  for (const TensorError& e : tensor_errors(c.model, wanted.grads, found.grads))
    EXPECT_LT(e.relative, kFp32Limit) << e.name;
  EXPECT_LT(relative_error(wanted.losses, found.losses), kFp32Limit);
  EXPECT_EQ(found.correct, wanted.correct);
}

TEST(CudaEngine, EveryTensorIsThatOfFloat64) {
  for (const DType dtype : {DType::u8, DType::f32}) {
    const EngineCase c(1, 37, Init::he, dtype);
    GpuEngine gpu(c, "fp32", true, 37);
    for (const std::size_t n : kBatches) {
      SCOPED_TRACE(n);
      expect_fp32(c, Wanted(c, {0, n}), gpu.train({0, n}));
    }
  }
}

TEST(CudaEngine, ChapterInitAndWidth) {
  for (const auto& [width, init] : {std::pair{1, Init::chapter}, std::pair{2, Init::he}}) {
    const EngineCase c(width, 3, init, DType::u8);
    expect_fp32(c, Wanted(c, {0, 3}), GpuEngine(c, "fp32", true, 5).train({0, 3}));
  }
}

// One engine on one shard after the other: nothing of those before may remain, with graphs or without.
TEST(CudaEngine, ShardsLeaveNothingBehind) {
  const EngineCase c(1, 9, Init::he, DType::u8);
  GpuEngine with(c, "fp32", true, 3), without(c, "fp32", false, 3);
  for (const std::size_t first : {0u, 6u}) {
    const EngineOutput found = with.train({first, 3}, 2);
    expect_fp32(c, Wanted(c, {first, 3}), found);
    EXPECT_EQ(found.grads, without.train({first, 3}).grads) << "bit for bit";
  }
}

TEST(CudaEngine, EvaluationGivesTheScoresOfTraining) {
  const EngineCase c(1, 37, Init::he, DType::u8);
  GpuEngine gpu(c, "fp32", true, 37);
  const EngineOutput trained = gpu.train({0, 37}), evaluated = gpu.evaluate({0, 37});
  EXPECT_EQ(evaluated.losses, trained.losses);
  EXPECT_EQ(evaluated.correct, trained.correct);
}

TEST(CudaEngine, GradientsAreThoseOfTheCpuEngine) {
  const EngineCase c(1, 37, Init::he, DType::u8);
  GpuEngine gpu(c, "fp32", true, 37);
  for (const std::size_t n : kBatches) {
    const EngineOutput cpu = c.train({37 - n, n}), found = gpu.train({37 - n, n});
    for (const TensorError& e : tensor_errors(c.model, widened(cpu.grads), found.grads))
      EXPECT_LT(e.relative, kFp32Limit) << e.name << ", batch " << n;
    EXPECT_LT(relative_error(widened(cpu.losses), found.losses), kFp32Limit) << n;
    EXPECT_EQ(found.correct, cpu.correct) << n;
  }
}

// Ten bits of mantissa move some units across ReLU's kink, which changes single elements of a gradient
// wholly; so gradients are compared as vectors here and layer by layer in layers_test.cpp.
TEST(CudaEngine, Tf32StaysNear) {
  const EngineCase c(1, 37, Init::he, DType::u8);
  const Wanted wanted(c, {0, 37});
  const EngineOutput found = GpuEngine(c, "tf32", true, 37).train({0, 37});
  EXPECT_LT(relative_error(wanted.losses, found.losses), kTf32Limit);
  for (const ParamTensor& t : c.model.tensors()) {
    double distance = 0, size = 0;
    for (std::size_t i = t.elements.first; i < t.elements.end(); ++i) {
      distance += std::pow(wanted.grads[i] - double(found.grads[i]), 2);
      size += std::pow(wanted.grads[i], 2);
    }
    EXPECT_LT(std::sqrt(distance / size), 0.1) << t.name;
  }
}

}  // namespace
}  // namespace dpx::test
