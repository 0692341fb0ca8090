#include "kernels/cuda/nccl_reducer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "kernels/cuda/check_libraries.hpp"
#include "kernels/cuda/cuda_device.hpp"
#include "kernels/cuda/nvtx_range.hpp"

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

int version_code() {
  int version = 0;
  DPX_CHECK(ncclGetVersion(&version));
  return version;
}

/// What of the environment changes what NCCL does.
std::string nccl_variables() {
  std::string text;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("NCCL_")) text += fmt::format(" {}", *entry);
  return text.empty() ? "no NCCL_* variables are set" : "set:" + text;
}

class NcclReducer final : public Reducer {
 public:
  explicit NcclReducer(Group& group);
  ~NcclReducer() override;
  std::string name() const override { return std::string(kNccl); }
  std::string transport() const override { return "nccl"; }
  LinkElements elements_carried() const override { return {}; }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;

 private:
  CudaDevice& device(std::size_t rank) { return dynamic_cast<CudaDevice&>(group_.device(int(rank))); }
  void require(ncclResult_t status, const char* call) const;
  void poll() const;
  void abort() noexcept;
  Group& group_;
  std::vector<ncclComm_t> comms_;
};

NcclReducer::NcclReducer(Group& group) : group_(group), comms_(std::size_t(group.size())) {
  std::vector<int> ordinals;
  std::vector<std::string> bus_ids;
  for (std::size_t rank = 0; rank < comms_.size(); ++rank) {
    ordinals.push_back(device(rank).ordinal());
    bus_ids.push_back(device(rank).info().physical);
  }
  if (const std::string reason = why_not_nccl(bus_ids, version_code()); !reason.empty())
    throw Error(Exit::unavailable, reason);
  require(ncclCommInitAll(comms_.data(), int(comms_.size()), ordinals.data()), "ncclCommInitAll");
  device(0).state().watchdog().watch(this, {[this] { poll(); }, [this] { abort(); }});
}

NcclReducer::~NcclReducer() {
  group_.drain();
  device(0).state().watchdog().forget(this);
  for (const ncclComm_t comm : comms_)
    if (comm != nullptr) DPX_CHECK_QUIET(ncclCommDestroy(comm));
}

void NcclReducer::require(ncclResult_t status, const char* call) const {
  if (status == ncclSuccess || status == ncclInProgress) return;
  const char* detail = ncclGetLastError(nullptr);
  throw Error(Exit::unavailable,
              fmt::format("NCCL {}: {}: {}{}{}; {}; NCCL_DEBUG=INFO says more", nccl_version(), call,
                          failure_of(status), detail != nullptr && *detail != '\0' ? ": " : "",
                          detail != nullptr ? detail : "", nccl_variables()));
}

void NcclReducer::poll() const {
  for (const ncclComm_t comm : comms_) {
    ncclResult_t state = ncclSuccess;
    require(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    require(state, "a collective under way");
  }
}

void NcclReducer::abort() noexcept {
  for (ncclComm_t& comm : comms_)
    if (const ncclComm_t broken = std::exchange(comm, nullptr)) DPX_CHECK_QUIET(ncclCommAbort(broken));
}

std::vector<Event> NcclReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                          const std::vector<Event>& ready) {
  const NvtxRange range("NCCL allreduce");
  if (comms_[0] == nullptr) throw Error(Exit::unavailable, "NCCL was aborted after a failure");
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
  const int version = version_code();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::unique_ptr<Reducer> make_nccl_reducer(Group& group) {
  return std::make_unique<NcclReducer>(group);
}

#endif

}  // namespace dpx::cuda
