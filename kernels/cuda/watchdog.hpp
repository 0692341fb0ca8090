#pragma once
// Waiting for a GPU without hanging: while a library's collective may be stuck, the host polls.
#include <cuda_runtime_api.h>

#include <functional>
#include <utility>
#include <vector>

namespace dpx::cuda {

/// Shared by the devices of a group.
class Watchdog {
 public:
  explicit Watchdog(double timeout_s) : timeout_s_(timeout_s) {}

  /// Something whose work may never end. `poll` throws when it has failed; `abort` makes its work end.
  struct Watched {
    std::function<void()> poll;
    std::function<void()> abort;
  };
  void watch(const void* owner, Watched watched) { watched_.emplace_back(owner, std::move(watched)); }
  /// `release` lets go of recorded work before what it uses is aborted: libraries wait for that.
  void release_before_abort(const void* owner, std::function<void()> release) {
    holders_.emplace_back(owner, std::move(release));
  }
  /// `owner` is neither watched nor asked to let go any more.
  void forget(const void* owner) {
    const auto is_owners = [owner](const auto& entry) { return entry.first == owner; };
    std::erase_if(watched_, is_owners);
    std::erase_if(holders_, is_owners);
  }

  /// Blocks until `event` is reached. Errors: what the device's earlier work failed with; what `poll` throws;
  /// Exit::unavailable after `timeout_s`, where something is watched. All that is watched is aborted first.
  void wait(cudaEvent_t event);

 private:
  void abort_all() noexcept;
  double timeout_s_;
  std::vector<std::pair<const void*, Watched>> watched_;
  std::vector<std::pair<const void*, std::function<void()>>> holders_;
};

}  // namespace dpx::cuda
