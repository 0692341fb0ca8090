#pragma once
// Devices, streams and events: the interface that trainer and reducers are written against. CPU and GPU
// implement it.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "lib/device/slice.hpp"

namespace dpx {

/// A point in a stream's work. Copies refer to the same point.
class EventState {
 public:
  virtual ~EventState() = default;
  /// Blocks the host until the point is reached. Errors: rethrows what the device's earlier work failed with.
  virtual void synchronize() = 0;
  virtual bool reached() const = 0;
  /// Seconds from `earlier` to this point on the device's clock; both must have been reached.
  virtual double elapsed_s_since(const EventState& earlier) const = 0;
};
using Event = std::shared_ptr<EventState>;

/// A first-in-first-out queue of asynchronous work on one device.
/// Async: every call but `synchronize` only enqueues. Slices must stay valid until the work is done.
/// Errors: a failed operation makes the device's error sticky; later work of that device is skipped and the
/// error is thrown by `synchronize`.
class Stream {
 public:
  virtual ~Stream() = default;
  /// dst = src; equal counts and dtypes. Either side may be on another device or in host memory.
  virtual void copy(Slice dst, Slice src) = 0;
  /// dst += src, fp32 or bf16; src may be on another device. bf16 is added in fp32 and rounded to nearest
  /// even.
  virtual void add(Slice dst, Slice src) = 0;
  /// dst = src between fp32 and bf16, equal counts: rounded to nearest even one way, exact the other. The
  /// slices must not overlap.
  virtual void convert(Slice dst, Slice src) = 0;
  /// dst += a * src, fp32.
  virtual void axpy(Slice dst, float a, Slice src) = 0;
  /// dst *= a, fp32.
  virtual void scale(Slice dst, float a) = 0;
  virtual Event record() = 0;
  /// A point that will be asked for its time and that no stream waits for. In work that is replayed (see
  /// Replay) only such points have a time.
  virtual Event mark() { return record(); }
  /// Later work of this stream starts after `event`, which may be of another device.
  virtual void wait(const Event& event) = 0;
  virtual void synchronize() = 0;
};

/// Memory of one device; move-only. A view (see Device::upload) owns nothing.
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* data, std::size_t bytes, std::function<void(void*)> release)
      : data_(data), bytes_(bytes), release_(std::move(release)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (release_) release_(data_);
  }
  std::size_t bytes() const { return bytes_; }
  /// The whole buffer as elements of `dtype`.
  Slice slice(DType dtype) const { return {data_, bytes_ / size_of(dtype), dtype}; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(release_, other.release_);
  }
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::function<void(void*)> release_;
};

/// What a record says of a device; read back from the running object.
struct DeviceInfo {
  std::string name;         ///< "cpu:0"
  std::string description;  ///< processor or GPU model
  std::string physical;     ///< equal for logical devices that share hardware: "cpu", a GPU's bus id
  int threads = 0;          ///< worker threads of the compute stream; 0 on a GPU
  std::string uuid = {};    ///< of a GPU: the same wherever it is; empty on the CPU
};

/// One logical device; several may share one GPU or one CPU.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual Stream& compute() = 0;
  virtual Stream& comm() = 0;
  /// Zeroed memory, aligned to 64 bytes. Errors: Exit::unavailable with the bytes asked for.
  virtual Buffer allocate(std::size_t bytes) = 0;
  /// Host data made readable on the device: a view where the device shares the host's memory, else a copy.
  /// The host data must outlive the buffer.
  virtual Buffer upload(const void* host, std::size_t bytes) = 0;
  /// Host memory that the device's copies reach at full speed.
  virtual Buffer allocate_host(std::size_t bytes) { return allocate(bytes); }
  /// Waits for both streams and throws the device's sticky error, if any.
  void synchronize() {
    compute().synchronize();
    comm().synchronize();
  }
};

}  // namespace dpx
