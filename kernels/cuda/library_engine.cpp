#include "kernels/cuda/library_engine.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <map>
#include <tuple>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/step_graph.hpp"
#include "kernels/cuda/step_plan.hpp"

namespace dpx::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = 64 << 20;  // per width factor

/// Every batch is the same list of calls; its examples are found through Activations::arguments.
class LibraryEngine final : public ModelEngine {
 public:
  LibraryEngine(CudaDevice& device, const LeNet& model, std::size_t max_shard)
      : device_(device),
        model_(model),
        max_shard_(max_shard),
        cudnn_(),
        activations_(model_, max_shard),
        workspace_(allocate_device(kWorkspaceBytes * std::size_t(model.width()))),
        context_{cudnn_.get(),
                 blas_.get(),
                 model_,
                 activations_,
                 {workspace_.get(), kWorkspaceBytes * std::size_t(model.width())},
                 device.options().tf32} {
    algorithms_ = plan(int(max_shard)).algorithms();
  }
  ~LibraryEngine() override { DPX_CHECK_QUIET(cudaSetDevice(device_.ordinal())); }

  std::string name() const override {
    return fmt::format("cuda/library {}{}, {}", device_.options().tf32 ? "tf32" : "fp32",
                       device_.options().graph ? ", graph" : "", algorithms_);
  }
  void forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                        Scores scores) override;
  void evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) override;
  std::vector<PhaseTime> phases() const override { return {}; }  // gathering is part of the graph

 private:
  using GraphKey = std::tuple<std::size_t, const void*, void*, DType>;
  StepPlan& plan(int n);
  /// Makes `stream` ready for a shard: current device, cuDNN's stream, the step's arguments.
  cudaStream_t prepare(Stream& stream, const Shard& shard, Scores scores);

  CudaDevice& device_;
  const LeNet model_;
  const std::size_t max_shard_;
  CudnnHandle cudnn_;
  BlasHandle blas_;
  Activations activations_;
  DeviceMemory workspace_;
  PlanContext context_;
  std::string algorithms_;
  std::map<int, std::unique_ptr<StepPlan>> plans_;
  std::map<GraphKey, StepGraph> graphs_;
};

StepPlan& LibraryEngine::plan(int n) {
  std::unique_ptr<StepPlan>& made = plans_[n];
  if (!made) made = std::make_unique<StepPlan>(context_, n);
  return *made;
}

cudaStream_t LibraryEngine::prepare(Stream& stream, const Shard& shard, Scores scores) {
  if (shard.size() > max_shard_)
    throw Error(Exit::internal, fmt::format("cuda engine: shard of {} examples, made for at most {}",
                                            shard.size(), max_shard_));
  const cudaStream_t handle = dynamic_cast<CudaStream&>(stream).handle();
  use_device(device_.ordinal());
  DPX_CHECK(cudnnSetStream(cudnn_.get(), handle));
  launch_set_arguments(
      handle, activations_.arguments,
      {shard.images.data, shard.labels.as<const std::uint8_t>(), shard.order.as<const std::int32_t>(),
       scores.losses.as<float>(), scores.correct.as<std::uint8_t>()});
  return handle;
}

void LibraryEngine::forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                                     Scores scores) {
  if (shard.size() == 0) {
    use_device(device_.ordinal());
    DPX_CHECK(cudaMemsetAsync(grads.data, 0, grads.bytes(), dynamic_cast<CudaStream&>(stream).handle()));
    return;
  }
  const cudaStream_t handle = prepare(stream, shard, scores);
  StepPlan& step = plan(int(shard.size()));
  const auto enqueue = [&] {
    step.forward(handle, shard.images.dtype, params.as<const float>(), true);
    step.backward(handle, params.as<const float>(), grads.as<float>());
  };
  if (!device_.options().graph) return enqueue();
  StepGraph& graph = graphs_[{shard.size(), params.data, grads.data, shard.images.dtype}];
  if (const std::size_t nodes = graph.run(handle, enqueue); nodes > 0)
    spdlog::info("cuda:{}: the step on {} examples is a graph of {} nodes", device_.ordinal(), shard.size(),
                 nodes);
}

void LibraryEngine::evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) {
  if (shard.size() == 0) return;
  const cudaStream_t handle = prepare(stream, shard, scores);
  plan(int(shard.size())).forward(handle, shard.images.dtype, params.as<const float>(), false);
}

}  // namespace

std::unique_ptr<ModelEngine> make_library_engine(CudaDevice& device, const LeNet& model,
                                                 std::size_t max_shard) {
  use_device(device.ordinal());
  return std::make_unique<LibraryEngine>(device, model, max_shard);
}

}  // namespace dpx::cuda
