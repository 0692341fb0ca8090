// NCCL for one process with one thread: communicators over distinct GPUs, group calls, allreduce.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/fake_cuda/nccl/communicator.hpp"
#include "tests/fake_cuda/runtime/graph.hpp"
#include "tests/fake_cuda/runtime/library.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

using namespace fake;

namespace {

thread_local int group_depth = 0;
thread_local std::vector<Contribution> pending;

template <class Body>
ncclResult_t nccl_call(const char* function, Body body) {
  return library_call(function, ncclSuccess, ncclUnhandledCudaError, body);
}

/// One collective: the first rank to run computes, each writes its own result. Replayed by graphs.
struct Collective {
  std::vector<Contribution> contributions;  ///< by rank
  std::size_t runs = 0;
  std::vector<char> result = {};
  void run(std::size_t rank) {
    if (runs++ % contributions.size() == 0) result = sum_of(contributions);
    std::memcpy(contributions[rank].receive, result.data(), result.size());
  }
};

/// Every rank's part starts when all ranks have come. Returns what each part must wait for.
std::vector<PointRef> arrive(const std::vector<Stream*>& streams) {
  std::vector<PointRef> arrivals;
  for (Stream* stream : streams) {
    Operation arrival{.kind = Operation::Kind::mark, .name = "arrival at ncclAllReduce"};
    arrival.device = stream->device;
    arrival.records = std::make_shared<Point>(Point{.stream = stream->id});
    arrivals.push_back(arrival.records);
    scheduler().issue(*stream, std::move(arrival));
  }
  return arrivals;
}

/// While capturing, arrivals are edges: each part comes after the last nodes of all streams.
void arrive_in_capture(const std::vector<Stream*>& streams) {
  std::set<int> tails;
  for (const Stream* stream : streams) {
    require_else(stream->capture == streams.front()->capture, ncclInvalidUsage);
    tails.insert(stream->tail.begin(), stream->tail.end());
  }
  for (Stream* stream : streams) stream->tail.assign(tails.begin(), tails.end());
}

void start(std::vector<Contribution> contributions) {
  std::sort(contributions.begin(), contributions.end(),
            [](const auto& a, const auto& b) { return a.comm->rank < b.comm->rank; });
  std::vector<Stream*> streams;
  for (const Contribution& c : contributions) streams.push_back(&stream_of(c.stream, "ncclAllReduce"));
  const bool capturing =
      std::any_of(streams.begin(), streams.end(), [](const Stream* s) { return s->capture; });
  std::vector<PointRef> waits;
  if (capturing)
    arrive_in_capture(streams);
  else
    waits = arrive(streams);
  if (injected_failure("nccl_hang")) waits.push_back(contributions.front().comm->clique->aborted);
  const std::size_t bytes = contributions.front().count * bytes_of(contributions.front().type);
  const double seconds = 20e-6 + 2 * static_cast<double>(bytes) / 25e9;
  const auto collective = std::make_shared<Collective>(Collective{std::move(contributions)});
  std::shared_ptr<void> captured;
  if (capturing) {
    captured = std::make_shared<int>();
    collective->contributions.front().comm->clique->captured.push_back(captured);
  }
  for (std::size_t rank = 0; rank < streams.size(); ++rank) {
    const Contribution& own = collective->contributions[rank];
    Operation part = library_kernel("ncclAllReduce of rank " + std::to_string(rank), *streams[rank],
                                    {{own.send, bytes, false}, {own.receive, bytes, true}}, seconds,
                                    [collective, rank] { collective->run(rank); });
    part.any_gpu = true;
    part.waits = waits;
    part.captured = captured;
    scheduler().issue(*streams[rank], std::move(part));
  }
}

/// Starts what was called since ncclGroupStart: the first call of each rank belongs together, then the
/// second.
void flush() {
  while (!pending.empty()) {
    const Contribution first = pending.front();
    std::vector<Contribution> together;
    std::set<int> ranks;
    std::erase_if(pending, [&](const Contribution& c) {
      if (c.comm->clique != first.comm->clique || !ranks.insert(c.comm->rank).second) return false;
      together.push_back(c);
      return true;
    });
    if (static_cast<int>(together.size()) != first.comm->size())
      stop("deadlock: " + std::to_string(together.size()) + " of " + std::to_string(first.comm->size()) +
           " ranks called ncclAllReduce in this group; one thread that serves all ranks must call for all of "
           "them "
           "between ncclGroupStart and ncclGroupEnd");
    for (const Contribution& c : together)
      if (c.count != first.count || c.type != first.type)
        stop("deadlock: ranks call ncclAllReduce with different counts or types");
    if (first.count > 0) start(std::move(together));
  }
}

void require_on_device(const void* p, std::size_t bytes, const ncclComm& comm) {
  const auto block = memory().block_of(p);
  require_else(block && block->arena == comm.device() &&
                   static_cast<const char*>(p) + bytes <= block->begin + block->bytes,
               ncclInvalidArgument);
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  const char* other = std::getenv("DPX_FAKE_NCCL_VERSION");
  *version = other ? std::atoi(other) : NCCL_VERSION_CODE;
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
    auto clique = std::make_shared<Clique>();
    for (int rank = 0; rank < count; ++rank) {
      const int device = devices ? devices[rank] : rank;
      require_else(device >= 0 && device < static_cast<int>(settings().gpus.size()), ncclInvalidArgument);
      require_else(std::find(clique->devices.begin(), clique->devices.end(), device) == clique->devices.end(),
                   ncclInvalidUsage);  // "Duplicate GPU detected", as the real one up to 2.30.2
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
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [] {
    require_else(group_depth > 0, ncclInvalidUsage);
    if (--group_depth == 0) flush();
  });
}

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return nccl_call("ncclAllReduce", [&] {
    require_else(comm != nullptr, ncclInvalidArgument);
    if (op != ncclSum) fake_unfaked("ncclAllReduce of this operation", "libnccl.so.2");
    require_on_device(send, count * bytes_of(type), *comm);
    require_on_device(receive, count * bytes_of(type), *comm);
    require_else(stream_of(stream, "ncclAllReduce").device == comm->device(), ncclInvalidArgument);
    pending.push_back({send, receive, count, type, comm, stream});
    if (group_depth == 0) flush();
  });
}

}  // extern "C"
