#include "kernels/cpu/lenet_kernels.hpp"

#include <algorithm>

#include "kernels/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lenet_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/conv1-inl.h"  // conv1_forward, conv1_backward_weights
#include "kernels/cpu/conv2-inl.h"  // conv2_forward, unpool, conv2_backward_data, conv2_backward_weights
#include "kernels/cpu/dense-inl.h"  // dense, transpose_group, fc1_backward_weights
#include "kernels/cpu/head-inl.h"   // head
#include "kernels/cpu/lane_reduce-inl.h"  // lane_reduce
#include "kernels/cpu/load-inl.h"         // load_u8, load_f32

HWY_BEFORE_NAMESPACE();
namespace dpx::cpu::HWY_NAMESPACE {

// Register tiles: as many accumulators as leave room for the operands of a multiply-add.
constexpr int kConv1Tile = kManyRegisters ? 2 : 1;
constexpr int kConv2ForwardTile = kManyRegisters ? 5 : 2;
constexpr int kConv2WeightsTile = kManyRegisters ? kMaxConv2Tile : 2;
constexpr int kConv2DataTile = kManyRegisters ? 2 : 1;
constexpr int kFc1Tile = kManyRegisters ? 8 : 4;
constexpr int kFc1WeightsTile = 5;
constexpr int kFc1WeightsVectors = kManyRegisters ? 4 : 2;

/// One micro-shard's pass over its blocks of 32 examples.
class Step {
 public:
  Step(const LeNet& model, const MicroShard& shard, Workspace& workspace)
      : model_(model), shard_(shard), ws_(workspace), examples_(int(shard.order.size())) {}

  void run() {
    ws_.clock.start();
    const bool train = shard_.grads != nullptr;
    if (train) clear_gradients();
    for (first_ = 0; first_ < examples_; first_ += kBlock) {
      groups_ = (std::min(kBlock, examples_ - first_) + kLanes - 1) / kLanes;
      load();
      forward();
      loss(train);
      if (train) backward();
    }
    if (train) finish_gradients();
  }

 private:
  const float* param(LeNet::Tensor t) const { return shard_.params + model_.range(t).first; }
  float* grad(LeNet::Tensor t) const { return shard_.grads + model_.range(t).first; }
  float* lines(LeNet::Tensor t) { return ws_.lines[t].data(); }
  float* pool2(int group) { return ws_.pool2[first_ / kLanes + group]; }

  void clear_gradients();
  template <class T>
  void load_group(int group, void (*kernel)(const T* const (&)[kLanes], float*));
  void load();
  void forward();
  void loss(bool train);
  void backward();
  void finish_gradients();

  // Small tensors, whose lane accumulators live for the whole micro-shard.
  static constexpr LeNet::Tensor kReducedLast[] = {LeNet::conv1_w, LeNet::conv1_b, LeNet::conv2_b,
                                                   LeNet::fc1_b,   LeNet::fc2_w,   LeNet::fc2_b};
  const LeNet& model_;
  const MicroShard& shard_;
  Workspace& ws_;
  const int examples_;
  int first_ = 0;   // of the block, in the micro-shard
  int groups_ = 0;  // of the block
};

// fc1's weight gradient is written in one go; all others are accumulated.
void Step::clear_gradients() {
  const Range fc1 = model_.range(LeNet::fc1_w);
  std::fill_n(shard_.grads, fc1.first, 0.0f);
  std::fill_n(shard_.grads + fc1.end(), model_.num_params() - fc1.end(), 0.0f);
  for (const LeNet::Tensor t : kReducedLast) std::fill_n(lines(t), model_.range(t).count * kLanes, 0.0f);
  ws_.clock.lap(Phase::lane_reduce);
}

// Lanes without an example hold a blank image; their label -1 keeps them out of every gradient.
template <class T>
void Step::load_group(int group, void (*kernel)(const T* const (&)[kLanes], float*)) {
  static constexpr T kBlank[kPixels] = {};
  const T* rows[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int e = first_ + group * kLanes + lane;
    const bool used = e < examples_;
    rows[lane] =
        used ? static_cast<const T*>(shard_.images) + std::size_t(shard_.order[e]) * kPixels : kBlank;
    ws_.labels[group][lane] = used ? float(shard_.labels[shard_.order[e]]) : -1.0f;
  }
  kernel(rows, ws_.images[group]);
}

void Step::load() {
  for (int g = 0; g < groups_; ++g)
    shard_.images_are_u8 ? load_group<std::uint8_t>(g, load_u8) : load_group<float>(g, load_f32);
  ws_.clock.lap(Phase::load);
}

void Step::forward() {
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels();
  for (int g = 0; g < groups_; ++g)
    conv1_forward<kConv1Tile>(ws_.images[g], param(LeNet::conv1_w), param(LeNet::conv1_b), c1, ws_.pool1[g],
                              ws_.masks1[g]);
  ws_.clock.lap(Phase::conv1_forward);
  for (int g = 0; g < groups_; ++g)
    conv2_forward<kConv2ForwardTile>(ws_.pool1[g], param(LeNet::conv2_w), param(LeNet::conv2_b), c1, c2,
                                     pool2(g), ws_.masks2[g]);
  ws_.clock.lap(Phase::conv2_forward);
  dense<Product::forward, kFc1Tile>(pool2(0), ws_.pool2.stride(), param(LeNet::fc1_w), model_.hidden(),
                                    model_.hidden(), model_.flat(), param(LeNet::fc1_b), ws_.hidden[0],
                                    ws_.hidden.stride(), groups_);
  ws_.clock.lap(Phase::fc1_forward);
}

void Step::loss(bool train) {
  alignas(64) float losses[kLanes], best[kLanes];
  for (int g = 0; g < groups_; ++g) {
    head(ws_.hidden[g], param(LeNet::fc2_w), param(LeNet::fc2_b), model_.hidden(), ws_.labels[g], losses,
         best, train ? ws_.dhidden[g] : nullptr,
         {lines(LeNet::fc2_w), lines(LeNet::fc2_b), lines(LeNet::fc1_b)});
    const int first = first_ + g * kLanes, used = std::min(kLanes, examples_ - first);
    for (int lane = 0; lane < used; ++lane) {
      shard_.losses[first + lane] = losses[lane];
      shard_.correct[first + lane] = best[lane] == ws_.labels[g][lane];
    }
  }
  ws_.clock.lap(Phase::head);
}

void Step::backward() {
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels(), hidden = model_.hidden();
  dense<Product::backward_data, kFc1Tile>(ws_.dhidden[0], ws_.dhidden.stride(), param(LeNet::fc1_w), hidden,
                                          model_.flat(), hidden, nullptr, ws_.dpool2[0], ws_.dpool2.stride(),
                                          groups_);
  ws_.clock.lap(Phase::fc1_backward_data);
  for (int g = 0; g < groups_; ++g) {
    float* rows = ws_.dhidden_rows.data() + std::size_t(first_ + g * kLanes) * hidden;
    transpose_group(ws_.dhidden[g], hidden, rows);
    unpool(ws_.dpool2[g], ws_.masks2[g], c2, ws_.dconv2[g], lines(LeNet::conv2_b));
  }
  ws_.clock.lap(Phase::unpool);
  conv2_backward_weights<kConv2WeightsTile>(ws_.dconv2[0], ws_.dconv2.stride(), ws_.pool1[0],
                                            ws_.pool1.stride(), groups_, c1, c2, lines(LeNet::conv2_w),
                                            grad(LeNet::conv2_w));
  ws_.clock.lap(Phase::conv2_backward_weights);
  for (int g = 0; g < groups_; ++g) {
    conv2_backward_data<kConv2DataTile>(ws_.dconv2[g], param(LeNet::conv2_w), c1, c2, ws_.dpool1.data());
    ws_.clock.lap(Phase::conv2_backward_data);
    conv1_backward_weights<kConv1Tile>(ws_.dpool1.data(), ws_.masks1[g], ws_.images[g], c1,
                                       lines(LeNet::conv1_w), lines(LeNet::conv1_b));
    ws_.clock.lap(Phase::conv1_backward_weights);
  }
}

void Step::finish_gradients() {
  fc1_backward_weights<kFc1WeightsTile, kFc1WeightsVectors>(ws_.pool2[0], ws_.pool2.stride(),
                                                            ws_.dhidden_rows.data(), examples_, model_.flat(),
                                                            model_.hidden(), grad(LeNet::fc1_w));
  ws_.clock.lap(Phase::fc1_backward_weights);
  for (const LeNet::Tensor t : kReducedLast) lane_reduce(lines(t), int(model_.range(t).count), grad(t));
  ws_.clock.lap(Phase::lane_reduce);
}

void run_micro_shard(const LeNet& model, const MicroShard& shard, Workspace& workspace) {
  Step(model, shard, workspace).run();
}

}  // namespace dpx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dpx::cpu {
HWY_EXPORT(run_micro_shard);

void run_micro_shard(const LeNet& model, const MicroShard& shard, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(run_micro_shard)(model, shard, workspace);
}

}  // namespace dpx::cpu
#endif
