#include "kernels/cuda/library_engine.hpp"

#include <fmt/format.h>

#include <map>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/nvtx_range.hpp"
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
    return fmt::format("cuda/library {}, {}", device_.options().tf32 ? "tf32" : "fp32", algorithms_);
  }
  void forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                        Scores scores) override;
  void rebind(Stream& stream, const Shard& shard, Scores scores) override {
    if (shard.size() > 0) set_arguments(prepare(stream, shard), shard, scores);
  }
  void evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) override;
  std::vector<PhaseTime> phases() const override { return {}; }  // gathering is part of the graph

 private:
  StepPlan& plan(int n);
  /// Makes `stream` ready for a shard: current device, cuDNN's stream.
  cudaStream_t prepare(Stream& stream, const Shard& shard);
  void set_arguments(cudaStream_t stream, const Shard& shard, Scores scores);

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
};

StepPlan& LibraryEngine::plan(int n) {
  std::unique_ptr<StepPlan>& made = plans_[n];
  if (!made) made = std::make_unique<StepPlan>(context_, n);
  return *made;
}

cudaStream_t LibraryEngine::prepare(Stream& stream, const Shard& shard) {
  if (shard.size() > max_shard_)
    throw Error(Exit::internal, fmt::format("cuda engine: shard of {} examples, made for at most {}",
                                            shard.size(), max_shard_));
  const cudaStream_t handle = dynamic_cast<CudaStream&>(stream).handle();
  use_device(device_.ordinal());
  DPX_CHECK(cudnnSetStream(cudnn_.get(), handle));
  return handle;
}

void LibraryEngine::set_arguments(cudaStream_t stream, const Shard& shard, Scores scores) {
  launch_set_arguments(
      stream, activations_.arguments,
      {shard.images.data, shard.labels.as<const std::uint8_t>(), shard.order.as<const std::int32_t>(),
       scores.losses.as<float>(), scores.correct.as<std::uint8_t>()});
}

void LibraryEngine::forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                                     Scores scores) {
  const NvtxRange range("forward + backward");
  const cudaStream_t handle = prepare(stream, shard);
  if (shard.size() == 0) {
    DPX_CHECK(cudaMemsetAsync(grads.data, 0, grads.bytes(), handle));
    return;
  }
  if (!is_captured(handle)) set_arguments(handle, shard, scores);  // a graph's are set by rebind
  StepPlan& step = plan(int(shard.size()));
  step.forward(handle, shard.images.dtype, params.as<const float>(), true);
  step.backward(handle, params.as<const float>(), grads.as<float>());
}

void LibraryEngine::evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) {
  if (shard.size() == 0) return;
  const NvtxRange range("evaluate");
  const cudaStream_t handle = prepare(stream, shard);
  set_arguments(handle, shard, scores);
  plan(int(shard.size())).forward(handle, shard.images.dtype, params.as<const float>(), false);
}

}  // namespace

std::unique_ptr<ModelEngine> make_library_engine(CudaDevice& device, const LeNet& model,
                                                 std::size_t max_shard) {
  use_device(device.ordinal());
  return std::make_unique<LibraryEngine>(device, model, max_shard);
}

}  // namespace dpx::cuda
