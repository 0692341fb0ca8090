#pragma once
// Points in a CUDA stream's work, and the clock that makes times of different GPUs comparable.
#include <chrono>
#include <memory>
#include <vector>

#include "kernels/cuda/handles.hpp"
#include "kernels/cuda/watchdog.hpp"
#include "lib/device/device.hpp"

namespace dpx::cuda {

/// A moment known both on a GPU's clock and on the host's.
struct ClockBase {
  EventHandle event;
  std::chrono::steady_clock::time_point at;
};

/// What the streams, events and buffers of one logical device share; outlives them all.
class DeviceState {
 public:
  DeviceState(int ordinal, int rank, std::shared_ptr<Watchdog> watchdog);
  int ordinal() const { return ordinal_; }
  int rank() const { return rank_; }
  Watchdog& watchdog() { return *watchdog_; }
  /// Events are made once and used again.
  cudaEvent_t take_event();
  void give_back(cudaEvent_t event) { free_.emplace_back(event); }
  const std::shared_ptr<const ClockBase>& base() const { return base_; }
  /// Takes a new base where the present one is so old that event times lose digits; `stream` must be idle.
  void renew_base(cudaStream_t stream);

 private:
  int ordinal_, rank_;
  std::shared_ptr<Watchdog> watchdog_;
  std::vector<EventHandle> free_;
  std::shared_ptr<const ClockBase> base_;
};

class CudaEvent final : public EventState {
 public:
  /// Not recorded yet: nobody may ask it for anything before.
  explicit CudaEvent(std::shared_ptr<DeviceState> device);
  /// `is_mark`: where `stream` is captured, a node of the graph that takes the time at each launch; else a
  /// place in the order of the captured work.
  void record(cudaStream_t stream, bool is_mark);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  void synchronize() override;
  bool reached() const override;
  double elapsed_s_since(const EventState& earlier) const override;
  cudaEvent_t handle() const { return event_; }
  const std::shared_ptr<DeviceState>& device() const { return device_; }

 private:
  double since_base_s() const;
  std::shared_ptr<DeviceState> device_;
  cudaEvent_t event_;
  std::shared_ptr<const ClockBase> base_;
  bool captured_ = false;  ///< good for this graph only: not to be used again
};

}  // namespace dpx::cuda
