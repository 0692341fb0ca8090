#pragma once
// Lane: carries bytes from one GPU's memory to another's, in chunks that overlap, on streams of its own.
#include <array>
#include <memory>

#include "kernels/cuda/handles.hpp"
#include "kernels/cuda/transport.hpp"
#include "lib/device/slice.hpp"

namespace dpx::cuda {

/// A point that is recorded again and again; before the first time nobody waits for it.
class SlotEvent {
 public:
  /// Made on the current device.
  void make() { event_ = make_order_event(); }
  void record(cudaStream_t stream);
  void let_wait(cudaStream_t stream) const;
  void forget() { recorded_ = false; }

 private:
  EventHandle event_;
  bool recorded_ = false;
};

/// One direction of one pair. Async: copy and add enqueue; they start when `receiver`, a stream of the `to`
/// GPU, gets there, and `receiver` goes on when they are done. What is captured must have been run before,
/// which allocates.
class Lane {
 public:
  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  /// dst on the `to` GPU = src on the `from` GPU.
  void copy(cudaStream_t receiver, void* dst, const void* src, std::size_t bytes);
  /// dst += src, fp32 or bf16.
  virtual void add(cudaStream_t receiver, Slice dst, Slice src);
  /// Chunks before now and from now on are ordered by others. Neither side of a capture's begin and end can
  /// wait for events of the other.
  void forget_chunks();

 protected:
  struct Slot {
    SlotEvent arrived;     ///< the chunk is in the receiving GPU's memory
    SlotEvent freed;       ///< the chunk's scratch memory was read; of the `to` GPU
    DeviceMemory scratch;  ///< where chunks to be added arrive
  };
  /// `arrival_device`: whose stream `move` ends on.
  Lane(int from, int to, int arrival_device, std::size_t chunk_bytes);
  /// Own streams wait for `start`, which is of the `to` GPU.
  virtual void begin(cudaEvent_t start) = 0;
  /// Enqueues a chunk's way to `target`, which may be written once slots_[slot].freed is reached, and records
  /// slots_[slot].arrived.
  virtual void move(std::size_t slot, void* target, const void* src, std::size_t bytes) = 0;

  static constexpr std::size_t kSlots = 4;
  const int from_, to_;
  const std::size_t chunk_bytes_;
  std::array<Slot, kSlots> slots_;

 private:
  template <class Target, class After>
  void carry(cudaStream_t receiver, const void* src, std::size_t bytes, const Target& target,
             const After& after);
  EventHandle start_;
  std::size_t next_ = 0;
};

/// Errors: Exit::unavailable without the host or device memory. Transport::local needs no lane.
std::unique_ptr<Lane> make_lane(Transport transport, int from, int to);

}  // namespace dpx::cuda
