#pragma once
// Where a worker's time goes: one stop watch, one counter per phase of the step.
#include <array>
#include <chrono>
#include <string_view>

namespace dpx::cpu {

enum class Phase {
  load,
  conv1_forward,
  conv2_forward,
  fc1_forward,
  head,
  fc1_backward_data,
  unpool,
  conv2_backward_weights,
  conv2_backward_data,
  conv1_backward_weights,
  fc1_backward_weights,
  lane_reduce,
  tree
};

inline constexpr std::array<std::string_view, 13> kPhaseNames{"load",
                                                              "conv1_forward",
                                                              "conv2_forward",
                                                              "fc1_forward",
                                                              "head",
                                                              "fc1_backward_data",
                                                              "unpool",
                                                              "conv2_backward_weights",
                                                              "conv2_backward_data",
                                                              "conv1_backward_weights",
                                                              "fc1_backward_weights",
                                                              "lane_reduce",
                                                              "tree"};

class PhaseClock {
 public:
  void start() { last_ = Clock::now(); }
  /// Books the time since the last `start` or `lap` on `phase`.
  void lap(Phase phase) {
    const auto now = Clock::now();
    time_s_[std::size_t(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  double time_s(std::size_t phase) const { return time_s_[phase]; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
  std::array<double, kPhaseNames.size()> time_s_{};
};

}  // namespace dpx::cpu
