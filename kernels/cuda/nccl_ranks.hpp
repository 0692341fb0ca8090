#pragma once
// NCCL's communicators over the GPUs of a group, watched so that what fails or hangs ends with a reason.
#ifdef DPX_HAVE_NCCL
#include <nccl.h>

#include <vector>

#include "kernels/cuda/cuda_device.hpp"
#include "lib/comm/group.hpp"

namespace dpx::cuda {

/// One rank per device of the group, one process: calls go between ncclGroupStart and ncclGroupEnd. While
/// work is under way, whoever waits for a device polls NCCL's errors and aborts after the devices' timeout.
class NcclRanks {
 public:
  /// Errors: Exit::unavailable where two ranks share a GPU that this NCCL does not share, and where NCCL
  /// fails, with its text and variables.
  explicit NcclRanks(Group& group);
  ~NcclRanks();
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

 protected:
  CudaDevice& device(std::size_t rank) { return dynamic_cast<CudaDevice&>(group_.device(int(rank))); }
  /// Errors: as the constructor, naming `call`.
  void require(ncclResult_t status, const char* call) const;
  /// Errors: Exit::unavailable once the communicators were aborted.
  void require_alive() const;
  Group& group_;
  std::vector<ncclComm_t> comms_;

 private:
  void poll() const;
  void abort() noexcept;
};

}  // namespace dpx::cuda
#endif
