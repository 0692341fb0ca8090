#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/comm/reducer.hpp"

namespace dpx::cuda {

/// NCCL's allreduce over the group's GPUs, one process, group calls. While its work is under way, whoever
/// waits for a device polls NCCL's errors and aborts after the devices' timeout. Errors: Exit::unavailable
/// without NCCL, where two ranks share a GPU that this NCCL does not share, and where NCCL fails, with its
/// text and variables.
std::unique_ptr<Reducer> make_nccl_reducer(Group& group);

/// Of the loaded library: "2.28.9"; empty without NCCL.
std::string nccl_version();

/// Why ranks on these GPUs cannot use NCCL `version` (its version code); empty where they can.
/// `bus_ids`: of each rank's GPU.
std::string why_not_nccl(const std::vector<std::string>& bus_ids, int version);

}  // namespace dpx::cuda
