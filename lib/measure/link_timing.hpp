#pragma once
// Times of plain copies between devices, and between a device and the host.
#include <string>
#include <vector>

#include "lib/comm/group.hpp"

namespace dpx {

/// One way that bytes can go: `dst` = `src`, enqueued on `stream`, which is the receiver's. `sender` can
/// write `src`.
struct CopyPath {
  Stream *stream, *sender;
  Slice dst, src;
};

/// Seconds per copy of the first `bytes` of each path, all paths at once; each sample is a chain of `chain`
/// copies per path, from all streams at rest to the last one's end, by the devices' clocks. The host is not
/// part of it as long as it enqueues faster than the devices copy.
std::vector<double> copy_times_s(Group& group, const std::vector<CopyPath>& paths, std::size_t bytes,
                                 int chain, int samples);

/// Sends a pattern along `path`; says what arrived wrong, nothing: empty.
std::string wrong_bytes(Group& group, const CopyPath& path);

}  // namespace dpx
