#pragma once
// CPU streams and events: a queue of closures, served in order by one worker thread.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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

class CpuEvent final : public EventState {
 public:
  explicit CpuEvent(std::shared_ptr<const StickyError> error) : error_(std::move(error)) {}
  void synchronize() override;
  bool reached() const override { return done_.load(std::memory_order_acquire) != 0; }
  double elapsed_s_since(const EventState& earlier) const override;
  /// Blocks without looking at errors; for other streams.
  void wait() const;
  void signal();

 private:
  std::shared_ptr<const StickyError> error_;
  std::chrono::steady_clock::time_point time_;
  std::atomic<int> done_{0};
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
  struct Item {
    std::function<void()> work = {};  ///< or `together`
    bool always = false;  ///< events are signalled even after a failure, so that nobody waits for ever
    void (*together)(void* context, int rank) = nullptr;
    void* context = nullptr;
    int rank = 0;
    std::shared_ptr<CpuEvent> end = {};  ///< signalled after the work
  };
  void push(Item item);
  Event push_with_end(Item item);
  void run(Item& item);
  void serve();
  std::shared_ptr<StickyError> error_;
  std::mutex mutex_;
  std::condition_variable pending_;
  std::vector<Item> queue_;  ///< what the worker has not taken yet; it takes all at once
  std::atomic<int> queued_{0};
  bool stop_ = false;
  std::thread worker_;
};

}  // namespace dpx
