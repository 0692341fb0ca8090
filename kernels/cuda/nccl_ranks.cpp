#ifdef DPX_HAVE_NCCL
#include "kernels/cuda/nccl_ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "kernels/cuda/check_libraries.hpp"
#include "kernels/cuda/nccl_reducer.hpp"
#include "kernels/cuda/nccl_rules.hpp"

namespace dpx::cuda {
namespace {

/// What of the environment changes what NCCL does.
std::string nccl_variables() {
  std::string text;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("NCCL_")) text += fmt::format(" {}", *entry);
  return text.empty() ? "no NCCL_* variables are set" : "set:" + text;
}

}  // namespace

NcclRanks::NcclRanks(Group& group) : group_(group), comms_(std::size_t(group.size())) {
  std::vector<int> ordinals;
  std::vector<std::string> bus_ids;
  for (std::size_t rank = 0; rank < comms_.size(); ++rank) {
    ordinals.push_back(device(rank).ordinal());
    bus_ids.push_back(device(rank).info().physical);
  }
  int version = 0;
  require(ncclGetVersion(&version), "ncclGetVersion");
  const bool shares = switches_on(std::getenv(kMultiRankVariable));
  if (const std::string reason = why_not_nccl(bus_ids, version, shares); !reason.empty())
    throw Error(Exit::unavailable, reason);
  require(ncclCommInitAll(comms_.data(), int(comms_.size()), ordinals.data()), "ncclCommInitAll");
  device(0).state().watchdog().watch(this, {[this] { poll(); }, [this] { abort(); }});
}

NcclRanks::~NcclRanks() {
  group_.drain();
  device(0).state().watchdog().forget(this);
  for (const ncclComm_t comm : comms_)
    if (comm != nullptr) DPX_CHECK_QUIET(ncclCommDestroy(comm));
}

void NcclRanks::require(ncclResult_t status, const char* call) const {
  if (status == ncclSuccess || status == ncclInProgress) return;
  const char* detail = ncclGetLastError(nullptr);
  throw Error(Exit::unavailable,
              fmt::format("NCCL {}: {}: {}{}{}; {}; NCCL_DEBUG=INFO says more", nccl_version(), call,
                          failure_of(status), detail != nullptr && *detail != '\0' ? ": " : "",
                          detail != nullptr ? detail : "", nccl_variables()));
}

void NcclRanks::require_alive() const {
  if (comms_[0] == nullptr) throw Error(Exit::unavailable, "NCCL was aborted after a failure");
}

void NcclRanks::poll() const {
  for (const ncclComm_t comm : comms_) {
    ncclResult_t state = ncclSuccess;
    require(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    require(state, "a collective under way");
  }
}

void NcclRanks::abort() noexcept {
  for (ncclComm_t& comm : comms_)
    if (const ncclComm_t broken = std::exchange(comm, nullptr)) DPX_CHECK_QUIET(ncclCommAbort(broken));
}

}  // namespace dpx::cuda
#endif
