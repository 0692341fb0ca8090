#pragma once
// What the versions of NCCL can do. No NCCL here: the rules are tested without it.
#include <string>
#include <vector>

namespace dpx::cuda {

/// Since 2.30.3: several ranks may share a GPU where this is not 0.
inline constexpr const char* kMultiRankVariable = "NCCL_MULTI_RANK_GPU_ENABLE";

/// "2.28.9" of the version code 22809.
std::string nccl_version_text(int version);

/// Whether NCCL takes `value` of a variable, null where it is not set, for a number other than 0.
bool switches_on(const char* value);

/// Why ranks on these GPUs cannot use NCCL `version` (its version code); empty where they can.
/// `bus_ids`: of each rank's GPU; `shares`: kMultiRankVariable is on.
std::string why_not_nccl(const std::vector<std::string>& bus_ids, int version, bool shares);

/// Says that NCCL `version` does not read the variable `name`, and which versions do where that is known.
std::string absent_variable(const std::string& name, int version);

}  // namespace dpx::cuda
