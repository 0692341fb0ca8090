#include "kernels/cuda/watchdog.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "kernels/cuda/check.hpp"

namespace dpx::cuda {

void Watchdog::wait(cudaEvent_t event) {
  if (watched_.empty()) {
    DPX_CHECK(cudaEventSynchronize(event));
    return;
  }
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  try {
    for (; !is_reached(event); std::this_thread::yield()) {
      for (const auto& [owner, watched] : watched_) watched.poll();
      if (std::chrono::duration<double>(Clock::now() - start).count() > timeout_s_)
        throw Error(
            Exit::unavailable,
            fmt::format("no progress for {:g} s while a collective is under way (--timeout)", timeout_s_));
    }
  } catch (...) {
    abort_all();
    throw;
  }
}

void Watchdog::abort_all() noexcept {
  for (const auto& [owner, release] : holders_) release();
  for (const auto& [owner, watched] : watched_) watched.abort();
  watched_.clear();
}

}  // namespace dpx::cuda
