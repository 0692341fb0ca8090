#pragma once
// Which cores a CPU device works on. Left to the scheduler, two devices' threads can share a core for
// milliseconds.
#include <sched.h>
#include <unistd.h>

#include <vector>

namespace dpx::cpu {

/// Cores that this process may run on.
inline std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

/// `threads` neighbouring cores for device `index`, devices side by side and starting over when the cores are
/// used up. Empty, which means any core, when a device has more threads than there are cores. Two processes
/// start at different cores, more often than not.
inline std::vector<int> cores_for_device(int index, int threads) {
  const std::vector<int> all = allowed_cores();
  const auto n = int(all.size());
  std::vector<int> cores;
  if (threads > n) return cores;
  for (int i = 0; i < threads; ++i) cores.push_back(all[std::size_t((getpid() + index * threads + i) % n)]);
  return cores;
}

/// Keeps the calling thread on `cores`; a refusal by the system is no fault.
inline void pin_this_thread(const std::vector<int>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace dpx::cpu
