#pragma once
#include <memory>
#include <vector>

#include "lib/device/replay.hpp"

namespace dpx::cuda {

/// Work on `devices`, CudaDevices of one fabric, as CUDA graphs: what comes the second time is captured over
/// all their streams and launched as a whole from then on. Without graphs, where the devices' options or
/// transports say so.
std::unique_ptr<Replay> make_graph_replay(const std::vector<Device*>& devices);

}  // namespace dpx::cuda
