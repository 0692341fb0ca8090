#pragma once
// Waiting on this backend: spin for some microseconds, because the other side is usually that close, then
// sleep in the kernel, so that 16 devices on 2 cores do not live-lock.
#include <atomic>

namespace dpx::cpu {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline constexpr int kSpins = 400;  // about 20 us on current x86

/// Spins until `ready()` or the budget is used up; returns ready().
template <class Ready>
bool spin_until(Ready ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
    pause();
  }
  return ready();
}

/// Returns once `word` is not `old` any more.
inline void wait_while_equal(const std::atomic<int>& word, int old) {
  const auto changed = [&] { return word.load(std::memory_order_acquire) != old; };
  if (spin_until(changed)) return;
  while (!changed()) word.wait(old, std::memory_order_acquire);
}

}  // namespace dpx::cpu
