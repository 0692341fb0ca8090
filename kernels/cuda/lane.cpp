#include "kernels/cuda/lane.hpp"

#include <algorithm>

#include "kernels/cuda/launch.hpp"

namespace dpx::cuda {
namespace {

void record(const EventHandle& event, cudaStream_t stream) {
  DPX_CHECK(cudaEventRecord(event.get(), stream));
}
void wait(cudaStream_t stream, cudaEvent_t event) {
  DPX_CHECK(cudaStreamWaitEvent(stream, event, 0));
}

constexpr std::size_t kPeerChunk = 4 << 20, kStagedChunk = 2 << 20;
// Below this, one kernel that reads the other GPU's memory is done before the copy engine has started.
constexpr std::size_t kDirectAddBytes = 512 << 10;

/// The copy engine on a stream of the sending GPU: by peer access where it is on, else staged by the driver,
/// which no graph can hold.
class CopyLane final : public Lane {
 public:
  CopyLane(int from, int to, bool peer_access) : Lane(from, to, from, kPeerChunk), peer_access_(peer_access) {
    use_device(from);
    push_ = make_stream(Priority::high);
  }
  void add(cudaStream_t receiver, Slice dst, Slice src) override {
    if (!peer_access_ || dst.bytes() > kDirectAddBytes) return Lane::add(receiver, dst, src);
    use_device(to_);
    launch_add(receiver, dst, src);
  }

 private:
  void begin(cudaEvent_t start) override { wait(push_.get(), start); }
  void move(std::size_t slot, void* target, const void* src, std::size_t bytes) override {
    use_device(from_);
    slots_[slot].freed.let_wait(push_.get());
    if (peer_access_)
      DPX_CHECK(cudaMemcpyAsync(target, src, bytes, cudaMemcpyDeviceToDevice, push_.get()));
    else
      DPX_CHECK(cudaMemcpyPeerAsync(target, to_, src, from_, bytes, push_.get()));
    slots_[slot].arrived.record(push_.get());
  }
  const bool peer_access_;
  StreamHandle push_;
};

/// Through a ring of pinned host buffers: in by a stream of the sending GPU, out by one of the receiving GPU.
/// `by_kernels`: moved by loads and stores of the GPUs instead of their copy engines.
class StagedLane final : public Lane {
 public:
  StagedLane(int from, int to, bool by_kernels)
      : Lane(from, to, to, kStagedChunk),
        by_kernels_(by_kernels),
        ring_(allocate_pinned(kSlots * kStagedChunk)) {
    use_device(from);
    in_ = make_stream(Priority::high);
    for (EventHandle& event : filled_) event = make_order_event();
    use_device(to);
    out_ = make_stream(Priority::high);
  }

 private:
  void begin(cudaEvent_t start) override {
    wait(in_.get(), start);
    wait(out_.get(), start);
  }
  void move(std::size_t slot, void* target, const void* src, std::size_t bytes) override {
    void* buffer = static_cast<char*>(ring_.get()) + slot * kStagedChunk;
    use_device(from_);
    slots_[slot].arrived.let_wait(in_.get());  // the buffer's last chunk has left it
    hop(in_.get(), buffer, src, bytes, cudaMemcpyDeviceToHost);
    record(filled_[slot], in_.get());
    use_device(to_);
    wait(out_.get(), filled_[slot].get());
    slots_[slot].freed.let_wait(out_.get());
    hop(out_.get(), target, buffer, bytes, cudaMemcpyHostToDevice);
    slots_[slot].arrived.record(out_.get());
  }
  void hop(cudaStream_t stream, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind) {
    if (by_kernels_) return launch_move(stream, dst, src, bytes);
    DPX_CHECK(cudaMemcpyAsync(dst, src, bytes, kind, stream));
  }
  const bool by_kernels_;
  PinnedMemory ring_;
  StreamHandle in_, out_;
  std::array<EventHandle, kSlots> filled_;
};

}  // namespace

void SlotEvent::record(cudaStream_t stream) {
  cuda::record(event_, stream);
  recorded_ = true;
}

void SlotEvent::let_wait(cudaStream_t stream) const {
  if (recorded_) wait(stream, event_.get());
}

Lane::Lane(int from, int to, int arrival_device, std::size_t chunk_bytes)
    : from_(from), to_(to), chunk_bytes_(chunk_bytes) {
  use_device(arrival_device);
  for (Slot& slot : slots_) slot.arrived.make();
  use_device(to);
  for (Slot& slot : slots_) slot.freed.make();
  start_ = make_order_event();
}

template <class Target, class After>
void Lane::carry(cudaStream_t receiver, const void* src, std::size_t bytes, const Target& target,
                 const After& after) {
  use_device(to_);
  record(start_, receiver);
  begin(start_.get());
  for (std::size_t first = 0; first < bytes; first += chunk_bytes_) {
    const std::size_t slot = next_++ % kSlots, count = std::min(chunk_bytes_, bytes - first);
    move(slot, target(slot, first), static_cast<const char*>(src) + first, count);
    use_device(to_);
    after(slot, first, count);
  }
}

void Lane::forget_chunks() {
  for (Slot& slot : slots_) {
    slot.arrived.forget();
    slot.freed.forget();
  }
}

void Lane::copy(cudaStream_t receiver, void* dst, const void* src, std::size_t bytes) {
  carry(
      receiver, src, bytes, [&](std::size_t, std::size_t first) { return static_cast<char*>(dst) + first; },
      [&](std::size_t slot, std::size_t first, std::size_t count) {
        if (first + count == bytes) slots_[slot].arrived.let_wait(receiver);  // chunks arrive in order
      });
}

void Lane::add(cudaStream_t receiver, Slice dst, Slice src) {
  use_device(to_);
  for (Slot& slot : slots_)
    if (!slot.scratch) slot.scratch = allocate_device(chunk_bytes_);
  const std::size_t size = size_of(dst.dtype);
  carry(
      receiver, src.data, src.bytes(),
      [&](std::size_t slot, std::size_t) { return slots_[slot].scratch.get(); },
      [&](std::size_t slot, std::size_t first, std::size_t bytes) {
        const std::size_t count = bytes / size;
        slots_[slot].arrived.let_wait(receiver);
        launch_add(receiver, dst.sub({first / size, count}), {slots_[slot].scratch.get(), count, dst.dtype});
        slots_[slot].freed.record(receiver);
      });
}

std::unique_ptr<Lane> make_lane(Transport transport, int from, int to) {
  if (transport == Transport::staged || transport == Transport::mapped)
    return std::make_unique<StagedLane>(from, to, transport == Transport::mapped);
  return std::make_unique<CopyLane>(from, to, transport == Transport::peer);
}

}  // namespace dpx::cuda
