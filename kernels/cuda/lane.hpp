#pragma once
// Lane: carries bytes from one GPU's memory to another's, in chunks that overlap, on streams of its own.
#include <array>
#include <memory>

#include "kernels/cuda/handles.hpp"
#include "kernels/cuda/transport.hpp"
#include "lib/device/slice.hpp"

namespace dpx::cuda {

/// One direction of one pair. Async: copy and add enqueue; they start when `receiver`, a stream of the `to`
/// GPU, gets there, and `receiver` goes on when they are done. Not to be used while a stream is captured.
class Lane {
 public:
  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  /// dst on the `to` GPU = src on the `from` GPU.
  void copy(cudaStream_t receiver, void* dst, const void* src, std::size_t bytes);
  /// dst += src, fp32 or bf16.
  virtual void add(cudaStream_t receiver, Slice dst, Slice src);

 protected:
  struct Slot {
    EventHandle arrived;   ///< the chunk is in the receiving GPU's memory
    EventHandle freed;     ///< the chunk's scratch memory was read; of the `to` GPU
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
