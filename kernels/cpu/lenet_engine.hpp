#pragma once
#include <memory>

#include "kernels/cpu/team.hpp"
#include "lib/model/engine.hpp"

namespace dpx {

/// LeNet on a CPU device; streams handed to it must be CpuStreams. `team` serves the compute stream and must
/// outlive the engine.
std::unique_ptr<ModelEngine> make_cpu_engine(Team& team, const LeNet& model, std::size_t max_shard);

}  // namespace dpx
