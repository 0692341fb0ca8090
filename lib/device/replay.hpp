#pragma once
// Replay: work on several devices that comes again and again, the same but for what it is done on.
#include <cstddef>
#include <functional>
#include <vector>

#include "lib/device/device.hpp"

namespace dpx {

/// Here the work is enqueued every time; a backend may record it once and play it again (a CUDA graph).
class Replay {
 public:
  /// Equal for works that differ only in what `rebind` sets.
  using Key = std::vector<std::size_t>;
  virtual ~Replay() = default;
  /// Async: does what `enqueue` puts on streams of the devices, ordered after what their compute streams had
  /// to do and before what they get later; all of it must have joined these streams when `enqueue` returns.
  /// Returns, as `enqueue` does, the work's marks. `rebind` enqueues what gives recorded work its present
  /// inputs; it is called only where recorded work is played.
  virtual std::vector<Event> run(const Key&, const std::function<void()>& /*rebind*/,
                                 const std::function<std::vector<Event>()>& enqueue) {
    return enqueue();
  }
  /// Operations in the largest recording; 0 where nothing was recorded.
  virtual std::size_t nodes() const { return 0; }
};

}  // namespace dpx
