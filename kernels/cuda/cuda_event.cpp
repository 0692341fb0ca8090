#include "kernels/cuda/cuda_event.hpp"

namespace dpx::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Event times are float milliseconds: a microsecond is kept while they are below 2^24 microseconds.
constexpr Seconds kBaseLifetime{4.0};

EventHandle make_timed_event() {
  cudaEvent_t event = nullptr;
  DPX_CHECK(cudaEventCreateWithFlags(&event, cudaEventDefault));
  return EventHandle(event);
}

// GPU events of one device only: CUDA does not compare those of two.
double elapsed_s(cudaEvent_t from, cudaEvent_t to) {
  float ms = 0;
  DPX_CHECK(cudaEventElapsedTime(&ms, from, to));
  return double(ms) * 1e-3;
}

}  // namespace

DeviceState::DeviceState(int ordinal, int rank, std::shared_ptr<Watchdog> watchdog)
    : ordinal_(ordinal), rank_(rank), watchdog_(std::move(watchdog)) {}

cudaEvent_t DeviceState::take_event() {
  if (free_.empty()) {
    use_device(ordinal_);
    free_.push_back(make_timed_event());
  }
  const cudaEvent_t event = free_.back().release();
  free_.pop_back();
  return event;
}

// The moment lies between the two host times; the narrowest of a few tries knows it best.
void DeviceState::renew_base(cudaStream_t stream) {
  if (base_ && Clock::now() - base_->at < kBaseLifetime) return;
  constexpr int kTries = 5;
  Clock::duration best = Clock::duration::max();
  for (int i = 0; i < kTries; ++i) {
    auto candidate = std::make_shared<ClockBase>();
    candidate->event = make_timed_event();
    const auto before = Clock::now();
    DPX_CHECK(cudaEventRecord(candidate->event.get(), stream));
    DPX_CHECK(cudaEventSynchronize(candidate->event.get()));
    const auto took = Clock::now() - before;
    candidate->at = before + took / 2;
    if (took < best) best = took, base_ = std::move(candidate);
  }
}

CudaEvent::CudaEvent(std::shared_ptr<DeviceState> device)
    : device_(std::move(device)), event_(device_->take_event()), base_(device_->base()) {}

CudaEvent::~CudaEvent() {
  if (captured_)
    DPX_CHECK_QUIET(cudaEventDestroy(event_));
  else
    device_->give_back(event_);
}

void CudaEvent::record(cudaStream_t stream, bool is_mark) {
  captured_ = is_captured(stream);
  const unsigned flags = captured_ && is_mark ? cudaEventRecordExternal : cudaEventRecordDefault;
  DPX_CHECK(cudaEventRecordWithFlags(event_, stream, flags));
}

void CudaEvent::synchronize() {
  use_device(device_->ordinal());
  device_->watchdog().wait(event_);
}

bool CudaEvent::reached() const {
  return is_reached(event_);
}

double CudaEvent::since_base_s() const {
  return elapsed_s(base_->event.get(), event_);
}

double CudaEvent::elapsed_s_since(const EventState& earlier) const {
  const auto& other = dynamic_cast<const CudaEvent&>(earlier);
  use_device(device_->ordinal());
  if (device_->ordinal() == other.device_->ordinal()) return elapsed_s(other.event_, event_);
  const double between_bases = Seconds(base_->at - other.base_->at).count();
  const double own = since_base_s();
  use_device(other.device_->ordinal());
  return between_bases + own - other.since_base_s();
}

}  // namespace dpx::cuda
