#pragma once
#include <memory>

#include "lib/comm/group.hpp"
#include "lib/device/copy_path.hpp"

namespace dpx::cuda {

/// ncclSend and ncclRecv between the group's GPUs, watched as make_nccl_reducer's collectives are.
/// Errors: as make_nccl_reducer.
std::unique_ptr<LibraryCopier> make_nccl_copier(Group& group);

}  // namespace dpx::cuda
