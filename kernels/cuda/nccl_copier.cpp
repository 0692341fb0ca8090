// NCCL's point-to-point copies: a send on one rank's comm stream, a receive on the other's, in one group.
#include "kernels/cuda/nccl_copier.hpp"

#ifdef DPX_HAVE_NCCL
#include "kernels/cuda/nccl_ranks.hpp"
#endif
#include "lib/core/error.hpp"

namespace dpx::cuda {

#ifndef DPX_HAVE_NCCL

std::unique_ptr<LibraryCopier> make_nccl_copier(Group&) {
  throw Error(Exit::unavailable, "this dpx was built without NCCL");
}

#else

namespace {

class NcclCopier final : public LibraryCopier, private NcclRanks {
 public:
  explicit NcclCopier(Group& group) : NcclRanks(group) {}
  std::string name() const override { return "nccl"; }
  void copy(const std::vector<CopyPath>& paths) override;

 private:
  std::size_t rank_of(const Stream* comm);
  cudaStream_t stream(std::size_t rank) { return dynamic_cast<CudaStream&>(device(rank).comm()).handle(); }
};

std::size_t NcclCopier::rank_of(const Stream* comm) {
  for (std::size_t rank = 0; rank < comms_.size(); ++rank)
    if (&device(rank).comm() == comm) return rank;
  throw Error(Exit::internal, "NCCL copies between the comm streams of its group");
}

void NcclCopier::copy(const std::vector<CopyPath>& paths) {
  require_alive();
  require(ncclGroupStart(), "ncclGroupStart");
  for (const CopyPath& path : paths) {
    const std::size_t from = rank_of(path.sender), to = rank_of(path.stream);
    use_device(device(from).ordinal());
    require(ncclSend(path.src.data, path.src.bytes(), ncclInt8, int(to), comms_[from], stream(from)),
            "ncclSend");
    use_device(device(to).ordinal());
    require(ncclRecv(path.dst.data, path.dst.bytes(), ncclInt8, int(from), comms_[to], stream(to)),
            "ncclRecv");
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
}

}  // namespace

std::unique_ptr<LibraryCopier> make_nccl_copier(Group& group) {
  return std::make_unique<NcclCopier>(group);
}

#endif

}  // namespace dpx::cuda
