#include "kernels/cuda/nccl_reducer.hpp"

#ifdef DPX_HAVE_NCCL
#include "kernels/cuda/check_libraries.hpp"
#include "kernels/cuda/nccl_ranks.hpp"
#include "kernels/cuda/nccl_rules.hpp"
#include "kernels/cuda/nvtx_range.hpp"
#endif
#include "lib/core/error.hpp"

namespace dpx::cuda {

#ifndef DPX_HAVE_NCCL

std::string nccl_version() {
  return "";
}

std::unique_ptr<Reducer> make_nccl_reducer(Group&) {
  throw Error(Exit::unavailable, "--algo nccl: this dpx was built without NCCL; --algo ring works");
}

#else

namespace {

class NcclReducer final : public Reducer, private NcclRanks {
 public:
  explicit NcclReducer(Group& group) : NcclRanks(group) {}
  std::string name() const override { return std::string(kNccl); }
  std::string transport() const override { return "nccl"; }
  LinkElements elements_carried() const override { return {}; }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;
};

std::vector<Event> NcclReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                          const std::vector<Event>& ready) {
  const NvtxRange range("NCCL allreduce");
  require_alive();
  for (std::size_t rank = 0; rank < comms_.size(); ++rank) device(rank).comm().wait(ready[rank]);
  require(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t rank = 0; rank < comms_.size(); ++rank) {
    const Slice part = slices[rank].sub(elements);
    const ncclDataType_t type = part.dtype == DType::bf16 ? ncclBfloat16 : ncclFloat32;
    use_device(device(rank).ordinal());
    require(ncclAllReduce(part.data, part.data, part.count, type, ncclSum, comms_[rank],
                          dynamic_cast<CudaStream&>(device(rank).comm()).handle()),
            "ncclAllReduce");
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
  std::vector<Event> done;
  for (std::size_t rank = 0; rank < comms_.size(); ++rank) done.push_back(device(rank).comm().record());
  return done;
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  DPX_CHECK(ncclGetVersion(&version));
  return nccl_version_text(version);
}

std::unique_ptr<Reducer> make_nccl_reducer(Group& group) {
  return std::make_unique<NcclReducer>(group);
}

#endif

}  // namespace dpx::cuda
