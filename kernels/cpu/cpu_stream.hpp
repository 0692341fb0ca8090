#pragma once
// CPU streams and events: a queue of closures, served in order by one worker thread.
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/cpu/spin.hpp"
#include "lib/device/device.hpp"

namespace dpx {

/// First failure of a device's work; shared by its streams.
class StickyError {
 public:
  bool set() const { return set_.load(std::memory_order_acquire); }
  void capture(std::exception_ptr error);
  void rethrow() const;

 private:
  std::atomic<bool> set_{false};
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

class alignas(64) CpuEvent final : public EventState {
 public:
  void synchronize() override;
  bool reached() const override { return reached_.raised(); }
  double elapsed_s_since(const EventState& earlier) const override;
  /// Blocks without looking at errors; for other streams.
  void wait() const { reached_.wait(); }
  void signal();

 private:
  friend class CpuStream;
  const StickyError* error_ = nullptr;
  std::chrono::steady_clock::time_point time_;
  cpu::Signal reached_;
};

class CpuStream final : public Stream {
 public:
  /// `cores`: where the worker thread runs; empty: anywhere.
  explicit CpuStream(std::shared_ptr<StickyError> error, std::vector<int> cores = {});
  ~CpuStream() override;
  void copy(Slice dst, Slice src) override;
  void add(Slice dst, Slice src) override;
  void convert(Slice dst, Slice src) override;
  void axpy(Slice dst, float a, Slice src) override;
  void scale(Slice dst, float a) override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;
  /// Runs `work` on the stream's thread after all that was enqueued before; skipped once the device has
  /// failed.
  void enqueue(std::function<void()> work);
  /// Runs this rank's part of work that ranks do together, waiting for one another inside; returns the event
  /// of its end. It runs even after the device has failed, so that the others do not wait for ever, and must
  /// not throw.
  Event run_together(std::function<void()> work);
  /// The same as a plain call work(context, rank), for work of a microsecond: nothing but the event is
  /// allocated.
  Event run_together(void (*work)(void* context, int rank), void* context, int rank);

 private:
  /// Events are made by the block: one of them must not cost an allocation here and a release over there.
  struct EventBlock;
  struct Item {
    std::function<void()> work = {};  ///< or `together`
    bool always = false;  ///< events are signalled even after a failure, so that nobody waits for ever
    void (*together)(void* context, int rank) = nullptr;
    void* context = nullptr;
    int rank = 0;
    CpuEvent* end = nullptr;                  ///< signalled after the work
    std::shared_ptr<EventBlock> events = {};  ///< where `end` lives; in the first item of a block only
  };
  void push(Item item);
  Event push_with_end(Item item);
  Event next_event(Item& item);
  void run(Item& item);
  void serve();
  static void prefetch_after(const std::vector<Item>& items, std::size_t i);
  std::shared_ptr<StickyError> error_;
  cpu::SpinLock lock_;       ///< of the queue and the block
  cpu::Signal pending_;      ///< the queue is not empty, or stop_
  std::vector<Item> queue_;  ///< what the worker has not taken yet; it takes all at once
  bool stop_ = false;
  std::shared_ptr<EventBlock> block_;  ///< whose events are handed out now
  std::size_t used_ = 0;               ///< events of block_ that have been
  std::thread worker_;
};

}  // namespace dpx
