#include "kernels/cpu/lenet_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>

#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/gradient_tree.hpp"
#include "kernels/cpu/lenet_kernels.hpp"
#include "kernels/cpu/vector_ops.hpp"
#include "kernels/cpu/workspace.hpp"
#include "lib/core/error.hpp"

namespace dpx {
namespace {

using cpu::kMicroShard;

std::size_t micro_shards(std::size_t examples) {
  return (examples + kMicroShard - 1) / kMicroShard;
}

/// LeNet by direct convolution. A shard is cut into micro-shards of 64 examples, each computed by one worker
/// of the team; their gradients are added in an order that depends on the shard's size only.
class LeNetEngine final : public ModelEngine {
 public:
  LeNetEngine(Team& team, const LeNet& model, std::size_t max_shard)
      : team_(team),
        model_(model),
        max_shard_(max_shard),
        // Two micro-shards per worker and wave: a worker that is held up leaves the second one to another.
        wave_(team.size() == 1 ? 1 : 2 * team.size()),
        tree_(model.num_params(), std::size_t(wave_), micro_shards(max_shard)) {
    for (int worker = 0; worker < team.size(); ++worker) workspaces_.emplace_back(model);
    leaves_.resize(std::size_t(wave_));
  }

  std::string name() const override { return "cpu/lenet-direct " + cpu::simd_name(); }

  void forward_backward(Stream& stream, const Shard& shard, Slice params, Slice grads,
                        Scores scores) override {
    if (shard.size() > max_shard_)
      throw Error(Exit::internal, fmt::format("cpu engine: shard of {} examples, made for at most {}",
                                              shard.size(), max_shard_));
    cpu_stream(stream).enqueue([=, this] { train(shard, params, grads, scores); });
  }

  void evaluate(Stream& stream, const Shard& shard, Slice params, Scores scores) override {
    cpu_stream(stream).enqueue([=, this] {
      team_.run(int(micro_shards(shard.size())), [&](int index, int worker) {
        compute(shard, std::size_t(index), params, nullptr, scores, worker);
      });
    });
  }

  std::vector<PhaseTime> phases() const override {
    std::vector<PhaseTime> times;
    for (std::size_t p = 0; p < cpu::kPhaseNames.size(); ++p) {
      double sum_s = 0;
      for (const cpu::Workspace& w : workspaces_) sum_s += w.clock.time_s(p);
      times.push_back({cpu::kPhaseNames[p], sum_s / team_.size()});
    }
    return times;
  }

 private:
  static CpuStream& cpu_stream(Stream& stream) { return dynamic_cast<CpuStream&>(stream); }

  void train(const Shard& shard, Slice params, Slice grads, Scores scores) {
    const int total = int(micro_shards(shard.size()));
    if (total == 0) std::fill_n(grads.as<float>(), grads.count, 0.0f);
    tree_.start(grads.as<float>());
    for (int first = 0; first < total; first += wave_) {
      const int count = std::min(wave_, total - first);
      for (int i = 0; i < count; ++i) leaves_[std::size_t(i)] = tree_.take();
      team_.run(count, [&](int i, int worker) {
        compute(shard, std::size_t(first + i), params, leaves_[std::size_t(i)], scores, worker);
      });
      for (int i = 0; i < count; ++i) tree_.push(leaves_[std::size_t(i)]);
      if (first + count == total) tree_.finish();
      merge();
    }
  }

  void merge() {
    if (!tree_.has_plan()) return;
    const Range all{0, model_.num_params()};
    team_.run(team_.size(), [&](int part, int worker) {
      cpu::PhaseClock& clock = workspaces_[std::size_t(worker)].clock;
      clock.start();
      tree_.apply(part_of(all, std::size_t(team_.size()), std::size_t(part)));
      clock.lap(cpu::Phase::tree);
    });
    tree_.clear_plan();
  }

  void compute(const Shard& shard, std::size_t index, Slice params, float* grads, Scores scores, int worker) {
    const std::size_t first = index * kMicroShard,
                      count = std::min<std::size_t>(kMicroShard, shard.size() - first);
    const cpu::MicroShard part{.images = shard.images.data,
                               .images_are_u8 = shard.images.dtype == DType::u8,
                               .labels = shard.labels.as<std::uint8_t>(),
                               .order = {shard.order.as<std::int32_t>() + first, count},
                               .params = params.as<float>(),
                               .grads = grads,
                               .losses = scores.losses.as<float>() + first,
                               .correct = scores.correct.as<std::uint8_t>() + first};
    run_micro_shard(model_, part, workspaces_[std::size_t(worker)]);
  }

  Team& team_;
  const LeNet model_;
  const std::size_t max_shard_;
  const int wave_;
  cpu::GradientTree tree_;
  std::deque<cpu::Workspace> workspaces_;  // one per worker
  std::vector<float*> leaves_;             // gradients of the current wave
};

}  // namespace

std::unique_ptr<ModelEngine> make_cpu_engine(Team& team, const LeNet& model, std::size_t max_shard) {
  return std::make_unique<LeNetEngine>(team, model, max_shard);
}

}  // namespace dpx
