#pragma once
// Ways that bytes can go between devices, or between a device and the host, and a library's way of copying.
#include <memory>
#include <string>
#include <vector>

#include "lib/device/device.hpp"

namespace dpx {

/// One way that bytes can go: `dst` = `src`, enqueued on `stream`, which is the receiver's. `sender` can
/// write `src`.
struct CopyPath {
  Stream *stream, *sender;
  Slice dst, src;
};

/// Copies between the devices of a group as a library does them.
class LibraryCopier {
 public:
  virtual ~LibraryCopier() = default;
  /// "nccl"
  virtual std::string name() const = 0;
  /// All of `paths` at once; their streams are comm streams of the group. Async: enqueued on both streams of
  /// each path.
  virtual void copy(const std::vector<CopyPath>& paths) = 0;
};

}  // namespace dpx
