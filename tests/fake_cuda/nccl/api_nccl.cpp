// NCCL for one process with one thread: communicators, group calls, allreduce, send and receive.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/fake_cuda/nccl/group.hpp"
#include "tests/fake_cuda/runtime/library.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

using namespace fake;

namespace {

template <class Body>
ncclResult_t nccl_call(const char* function, Body body) {
  return library_call(function, ncclSuccess, ncclUnhandledCudaError, body);
}

void require_on_device(const void* p, std::size_t bytes, const ncclComm& comm) {
  const auto block = memory().block_of(p);
  require_else(block && block->arena == comm.device() &&
                   static_cast<const char*>(p) + bytes <= block->begin + block->bytes,
               ncclInvalidArgument);
}

ncclResult_t message(const char* function, const Message& m) {
  return nccl_call(function, [&] {
    require_else(m.comm != nullptr, ncclInvalidArgument);
    require_else(m.peer >= 0 && m.peer < m.comm->size(), ncclInvalidArgument);
    require_on_device(m.send ? m.send : m.receive, m.bytes, *m.comm);
    require_else(stream_of(m.stream, function).device == m.comm->device(), ncclInvalidArgument);
    group().add(m);
  });
}

int version_code() {
  const char* other = std::getenv("DPX_FAKE_NCCL_VERSION");
  return other ? std::atoi(other) : NCCL_VERSION_CODE;
}

/// 2.30.3 and later let ranks share a GPU where they are told to.
bool ranks_may_share() {
  const char* enabled = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return version_code() >= 23003 && enabled && std::strtoll(enabled, nullptr, 0) != 0;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = version_code();
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t comm) {
  return comm ? comm->clique->last_error.c_str() : "";
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  return nccl_call("ncclCommInitAll", [&] {
    require_else(comms && count > 0, ncclInvalidArgument);
    if (stuck("init"))
      for (;;) sleep(1);
    auto clique = std::make_shared<Clique>();
    for (int rank = 0; rank < count; ++rank) {
      const int device = devices ? devices[rank] : rank;
      require_else(device >= 0 && device < static_cast<int>(settings().gpus.size()), ncclInvalidArgument);
      const bool first =
          std::find(clique->devices.begin(), clique->devices.end(), device) == clique->devices.end();
      require_else(first || ranks_may_share(), ncclInvalidUsage);  // "Duplicate GPU detected"
      clique->devices.push_back(device);
    }
    for (int rank = 0; rank < count; ++rank) comms[rank] = new ncclComm{clique, rank};
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return nccl_call("ncclCommDestroy", [&] {
    for (const std::weak_ptr<void>& collective : comm->clique->captured)
      if (!collective.expired())
        stop("deadlock: ncclCommDestroy waits until the graphs that hold its collectives are destroyed");
    delete comm;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t) {
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const Session session;
  comm->clique->aborted->reached = true;
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const Session session;
  *error = static_cast<ncclResult_t>(injected_failure("ncclCommGetAsyncError"));
  if (*error != ncclSuccess) comm->clique->last_error = "asked for by DPX_FAKE_FAIL";
  if (scheduler().sticky) *error = ncclUnhandledCudaError;
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  *count = comm->size();
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  group().open();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [] { require_else(group().close(), ncclInvalidUsage); });
}

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return nccl_call("ncclAllReduce", [&] {
    require_else(comm != nullptr, ncclInvalidArgument);
    if (op != ncclSum) fake_unfaked("ncclAllReduce of this operation", "libnccl.so.2");
    require_on_device(send, count * bytes_of(type), *comm);
    require_on_device(receive, count * bytes_of(type), *comm);
    require_else(stream_of(stream, "ncclAllReduce").device == comm->device(), ncclInvalidArgument);
    group().add(Contribution{send, receive, count, type, comm, stream});
  });
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return message("ncclSend", Message{send, nullptr, count * bytes_of(type), peer, comm, stream});
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return message("ncclRecv", Message{nullptr, receive, count * bytes_of(type), peer, comm, stream});
}

}  // extern "C"
