#pragma once
#include <memory>
#include <string>

#include "lib/comm/reducer.hpp"

namespace dpx::cuda {

/// NCCL's allreduce over the group's GPUs, one process, group calls. While its work is under way, whoever
/// waits for a device polls NCCL's errors and aborts after the devices' timeout. Errors: Exit::unavailable
/// without NCCL, where two ranks share a GPU that this NCCL does not share, and where NCCL fails, with its
/// text and variables.
std::unique_ptr<Reducer> make_nccl_reducer(Group& group);

/// Of the loaded library: "2.28.9"; empty without NCCL.
std::string nccl_version();

/// Why the loaded NCCL does not read the environment variable `name`; empty where it does.
std::string why_no_nccl_variable(const std::string& name);

}  // namespace dpx::cuda
