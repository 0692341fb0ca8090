#pragma once
// Waiting on this backend: a few pauses, because the other side is usually that close; then yields, because
// it may need this core; then sleep in the kernel, so that 16 devices on 2 cores do not live-lock.
#include <sched.h>

#include <atomic>

namespace dpx::cpu {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Fetches a cache line that this core is about to write.
inline void prefetch_for_writing(const void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0"
               :
               : "m"(*static_cast<const char*>(line)));  // no operation on processors without it
#else
  __builtin_prefetch(line, 1);
#endif
}

inline constexpr int kPauses = 64;   // about 3 us on current x86
inline constexpr int kYields = 100;  // about 30 us alone on a core, a turn each when shared

/// Spins until `ready()` or the budget is used up; returns ready().
template <class Ready>
bool spin_until(Ready ready, int pauses = kPauses) {
  for (int i = 0; i < pauses; ++i) {
    if (ready()) return true;
    pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (ready()) return true;
    sched_yield();
  }
  return ready();
}

/// Returns once `word` is not `old` any more.
inline void wait_while_equal(const std::atomic<int>& word, int old) {
  const auto changed = [&] { return word.load(std::memory_order_acquire) != old; };
  if (spin_until(changed)) return;
  while (!changed()) word.wait(old, std::memory_order_acquire);
}

/// A flag that threads wait for. Raising it costs no system call unless somebody sleeps.
class Signal {
 public:
  bool raised() const { return state_.load(std::memory_order_acquire) == kRaised; }
  void raise() {
    if (state_.exchange(kRaised, std::memory_order_acq_rel) == kAwaited) state_.notify_all();
  }
  void lower() { state_.store(kLowered, std::memory_order_relaxed); }
  /// `pauses`: 0 for a thread whose core should rather work for a device.
  void wait(int pauses = kPauses) const {
    if (spin_until([this] { return raised(); }, pauses)) return;
    for (int state = kLowered; state != kRaised; state = state_.load(std::memory_order_acquire))
      if (state == kAwaited || state_.compare_exchange_strong(state, kAwaited)) state_.wait(kAwaited);
  }

 private:
  static constexpr int kLowered = 0, kRaised = 1, kAwaited = 2;
  mutable std::atomic<int> state_{kLowered};
};

/// Mutual exclusion for a few instructions.
class SpinLock {
 public:
  void lock() {
    for (int spins = 0; locked_.exchange(true, std::memory_order_acquire); ++spins)
      spins < kPauses ? pause() : void(sched_yield());
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace dpx::cpu
