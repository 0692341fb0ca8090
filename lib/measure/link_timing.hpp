#pragma once
// Times of plain copies between devices, and between a device and the host.
#include <functional>
#include <string>
#include <vector>

#include "lib/comm/group.hpp"
#include "lib/device/copy_path.hpp"

namespace dpx {

/// Enqueues the copies of all paths at once.
using CopyAll = std::function<void(const std::vector<CopyPath>& paths)>;

/// On the paths' streams, each for itself.
void copy_by_streams(const std::vector<CopyPath>& paths);

/// Seconds per copy of the first `bytes` of each path, all paths at once; each sample is a chain of `chain`
/// copies per path, from all streams at rest to the last one's end, by the devices' clocks. The host is not
/// part of it as long as it enqueues faster than the devices copy.
std::vector<double> copy_times_s(Group& group, const std::vector<CopyPath>& paths, std::size_t bytes,
                                 int chain, int samples, const CopyAll& copy = copy_by_streams);

/// Sends a pattern along each of `paths`, all at once; says what arrived wrong, path by path, nothing: empty.
std::vector<std::string> wrong_bytes(Group& group, const std::vector<CopyPath>& paths,
                                     const CopyAll& copy = copy_by_streams);

}  // namespace dpx
