// Allreduce over all GPUs from compute streams' results. `--miss-wait`: the last rank's collective does not
// wait for its fill. `--exchange`: each rank sends its buffer to the next instead. `--graph` captures it.
// `--same-gpu`, `--no-group`, `--one-rank`: wrong use. `--poll`: gives up after a while. `--keep-graph`:
// destroys the communicators first.
#include <nccl.h>

#include <vector>

#include "tests/fake_cuda/programs/program.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

using namespace fake_programs;

#define NCCL_CHECK(call) nccl_check(call, #call, __LINE__)

namespace {

constexpr int kCount = 1001;

void nccl_check(ncclResult_t result, const char* call, int line) {
  if (result == ncclSuccess) return;
  std::printf("line %d: %s: %s\n", line, call, ncclGetErrorString(result));
  std::exit(3);
}

struct Rank {
  float *gradient, *inbox;
  cudaStream_t compute, comm;
  cudaEvent_t ready, done;
};

class Program {
 public:
  explicit Program(const Options& options) : options_(options) {
    CHECK(cudaGetDeviceCount(&size_));
    std::vector<int> devices;
    for (int d = 0; d < size_; ++d) devices.push_back(options.has("--same-gpu") ? 0 : d);
    comms_.resize(size_);
    NCCL_CHECK(ncclCommInitAll(comms_.data(), size_, devices.data()));
    for (int d = 0; d < size_; ++d)
      ranks_.push_back({make_floats(d, kCount), make_floats(d, kCount), make_stream(d), make_stream(d),
                        make_event(d), make_event(d)});
    begin_ = make_event(0);
  }

  void step(float value) {
    CHECK(cudaEventRecord(begin_, ranks_[0].compute));
    for (int d = 0; d < size_; ++d) {
      Rank& rank = ranks_[d];
      CHECK(cudaSetDevice(d));
      CHECK(cudaStreamWaitEvent(rank.comm, begin_, 0));
      if (d > 0) CHECK(cudaStreamWaitEvent(rank.compute, begin_, 0));
      fill<<<8, 128, 0, rank.compute>>>(kCount, rank.gradient, value * float(d + 1));
      CHECK(cudaEventRecord(rank.ready, rank.compute));
      if (d < size_ - 1 || !options_.has("--miss-wait")) CHECK(cudaStreamWaitEvent(rank.comm, rank.ready, 0));
    }
    const bool group = !options_.has("--no-group");
    if (group) NCCL_CHECK(ncclGroupStart());
    for (int d = 0; d < (options_.has("--one-rank") ? 1 : size_); ++d) communicate(d);
    if (group) NCCL_CHECK(ncclGroupEnd());
    for (int d = 0; d < size_; ++d) {
      CHECK(cudaEventRecord(ranks_[d].done, ranks_[d].comm));
      CHECK(cudaStreamWaitEvent(ranks_[d].compute, ranks_[d].done, 0));
      if (d == 0) continue;
      CHECK(cudaEventRecord(ranks_[d].ready, ranks_[d].compute));
      CHECK(cudaStreamWaitEvent(ranks_[0].compute, ranks_[d].ready, 0));
    }
  }

  void communicate(int d) {
    const Rank& rank = ranks_[d];
    if (options_.has("--exchange")) {
      NCCL_CHECK(ncclSend(rank.gradient, kCount, ncclFloat, (d + 1) % size_, comms_[d], rank.comm));
      NCCL_CHECK(ncclRecv(rank.inbox, kCount, ncclFloat, (d + size_ - 1) % size_, comms_[d], rank.comm));
    } else {
      NCCL_CHECK(
          ncclAllReduce(rank.gradient, rank.gradient, kCount, ncclFloat, ncclSum, comms_[d], rank.comm));
    }
  }

  void replay() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(ranks_[0].compute, cudaStreamCaptureModeThreadLocal));
    step(1);
    CHECK(cudaStreamEndCapture(ranks_[0].compute, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, ranks_[0].compute));
    if (options_.has("--keep-graph")) return;
    CHECK(cudaStreamSynchronize(ranks_[0].compute));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }

  void destroy() {
    CHECK(cudaStreamSynchronize(ranks_[0].compute));
    for (const ncclComm_t comm : comms_) NCCL_CHECK(ncclCommDestroy(comm));
  }

  /// Waits as a watchdog does; aborts the communicators when it has no end.
  bool poll() {
    for (int polls = 0; polls < 1000; ++polls) {
      ncclResult_t error;
      NCCL_CHECK(ncclCommGetAsyncError(comms_[0], &error));
      if (error != ncclSuccess) std::printf("asynchronous: %s\n", ncclGetErrorString(error));
      if (cudaEventQuery(ranks_[0].done) == cudaSuccess) return true;
    }
    for (const ncclComm_t comm : comms_) NCCL_CHECK(ncclCommAbort(comm));
    std::printf("aborted\n");
    return false;
  }

  int sum() {
    float total = 0;
    float* home = make_pinned(kCount);
    const bool exchanged = options_.has("--exchange");
    for (Rank& rank : ranks_) {
      CHECK(cudaMemcpyAsync(home, exchanged ? rank.inbox : rank.gradient, kCount * sizeof(float),
                            cudaMemcpyDefault, ranks_[0].compute));
      CHECK(cudaStreamSynchronize(ranks_[0].compute));
      total += home[kCount - 1];
    }
    return verdict(total, float((exchanged ? 1 : size_) * size_ * (size_ + 1)) / 2);
  }

 private:
  const Options& options_;
  int size_ = 0;
  std::vector<ncclComm_t> comms_;
  std::vector<Rank> ranks_;
  cudaEvent_t begin_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  Program program(options);
  if (options.has("--graph")) {
    program.replay();
  } else {
    program.step(2);
    program.step(1);
  }
  if (options.has("--poll") && !program.poll()) return 4;
  const int wrong = program.sum();
  program.destroy();
  return wrong;
}
