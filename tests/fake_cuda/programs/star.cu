// Two GPUs: fill on each, copy from 1 to 0, add there, sum there, bring the sum home. `--miss-wait` leaves
// out the copy's wait for the fill; `--miss-back` lets GPU 1 fill again while the last copy may still read.
// `--graph` captures it.
#include "tests/fake_cuda/programs/program.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

using namespace fake_programs;

namespace {

constexpr int kCount = 1000, kBlocks = 4, kThreads = 256;

struct Star {
  float *here = make_floats(0, kCount), *arrived = make_floats(0, kCount),
        *partials = make_floats(0, kBlocks);
  float *there = make_floats(1, kCount), *home = make_pinned(kBlocks);
  cudaStream_t compute0 = make_stream(0), copies = make_stream(0), compute1 = make_stream(1);
  cudaEvent_t begin = make_event(0), filled = make_event(1), copied = make_event(0);

  /// Everything starts after `compute0`'s earlier work and ends before its later work.
  void step(float value, bool miss_wait, bool miss_back) {
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventRecord(begin, compute0));
    if (!miss_back) CHECK(cudaStreamWaitEvent(compute1, begin, 0));
    CHECK(cudaStreamWaitEvent(copies, begin, 0));
    fill<<<kBlocks, kThreads, 0, compute0>>>(kCount, here, value);
    CHECK(cudaSetDevice(1));
    fill<<<kBlocks, kThreads, 0, compute1>>>(kCount, there, 2 * value);
    CHECK(cudaEventRecord(filled, compute1));
    CHECK(cudaSetDevice(0));
    if (!miss_wait) CHECK(cudaStreamWaitEvent(copies, filled, 0));
    CHECK(cudaMemcpyPeerAsync(arrived, 0, there, 1, kCount * sizeof(float), copies));
    CHECK(cudaEventRecord(copied, copies));
    CHECK(cudaStreamWaitEvent(compute0, copied, 0));
    CHECK(cudaStreamWaitEvent(compute0, filled, 0));
    add_into<<<kBlocks, kThreads, 0, compute0>>>(kCount, here, arrived);
    block_sum<128><<<kBlocks, 128, 0, compute0>>>(kCount, here, partials, true);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(home, partials, kBlocks * sizeof(float), cudaMemcpyDeviceToHost, compute0));
  }
  float sum() {
    CHECK(cudaStreamSynchronize(compute0));
    float total = 0;
    for (int i = 0; i < kBlocks; ++i) total += home[i];
    return total;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  const bool miss_wait = options.has("--miss-wait"), miss_back = options.has("--miss-back");
  Star star;
  if (options.has("--graph")) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamBeginCapture(star.compute0, cudaStreamCaptureModeThreadLocal));
    star.step(1, miss_wait, false);
    CHECK(cudaStreamEndCapture(star.compute0, &graph));
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::printf("%zu nodes\n", nodes);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, star.compute0));
    return verdict(star.sum(), 3 * kCount);
  }
  for (int i = 0; i < 3; ++i) star.step(1, miss_wait, miss_back && i > 0);
  return verdict(star.sum(), 3 * kCount);
}
