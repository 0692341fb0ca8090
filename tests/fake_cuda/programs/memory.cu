// Faults in the use of memory, one per option; without an option the same calls in order.
#include "tests/fake_cuda/programs/program.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

using namespace fake_programs;

namespace {

constexpr int kCount = 1500;  // not a whole number of pages
constexpr std::size_t kBytes = kCount * sizeof(float);

/// A kernel on GPU 0 that reads GPU 1's memory.
int peer_read(bool enabled) {
  float *here = make_floats(0, kCount), *there = make_floats(1, kCount), *home = make_pinned(kCount);
  const cudaStream_t stream0 = make_stream(0), stream1 = make_stream(1);
  fill<<<6, 256, 0, stream1>>>(kCount, there, 1);
  CHECK(cudaStreamSynchronize(stream1));
  CHECK(cudaSetDevice(0));
  if (enabled) CHECK(cudaDeviceEnablePeerAccess(1, 0));
  fill<<<6, 256, 0, stream0>>>(kCount, here, 2);
  add_into<<<6, 256, 0, stream0>>>(kCount, here, there);
  CHECK(cudaMemcpyAsync(home, here, kBytes, cudaMemcpyDefault, stream0));
  CHECK(cudaStreamSynchronize(stream0));
  return verdict(home[kCount - 1], 3);
}

/// What a peer copy brings, after access has been enabled.
int peer_copy() {
  int can = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  float *here = make_floats(0, kCount), *there = make_floats(1, kCount), *home = make_pinned(kCount);
  CHECK(cudaSetDevice(0));
  if (can) CHECK(cudaDeviceEnablePeerAccess(1, 0));
  const cudaStream_t stream = make_stream(1);
  fill<<<6, 256, 0, stream>>>(kCount, there, 1);
  CHECK(cudaMemcpyPeerAsync(here, 0, there, 1, kBytes, stream));
  CHECK(cudaMemcpyAsync(home, here, kBytes, cudaMemcpyDefault, stream));
  CHECK(cudaStreamSynchronize(stream));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += home[i] != 1;
  std::printf("peer access %d, %d wrong\n", can, wrong);
  return wrong ? 1 : 0;
}

/// Two kernels on two streams write the two halves of one buffer, not on a page's edge: no race.
int neighbours(bool overlap) {
  float *x = make_floats(0, kCount), *home = make_pinned(kCount);
  const cudaStream_t a = make_stream(0), b = make_stream(0);
  fill<<<6, 256, 0, a>>>(overlap ? 778 : 777, x, 1);
  fill<<<6, 256, 0, b>>>(kCount - 777, x + 777, 2);
  CHECK(cudaStreamSynchronize(a));
  CHECK(cudaStreamSynchronize(b));
  CHECK(cudaMemcpyAsync(home, x, kBytes, cudaMemcpyDefault, a));
  CHECK(cudaStreamSynchronize(a));
  return verdict(home[776] + home[778], 3);
}

int pinned(const Options& options) {
  float *x = make_floats(0, kCount), *home = make_pinned(kCount);
  const cudaStream_t stream = make_stream(0);
  for (int i = 0; i < kCount; ++i) home[i] = 1;
  CHECK(cudaMemcpyAsync(x, home, kBytes, cudaMemcpyHostToDevice, stream));
  if (!options.has("--early-write")) CHECK(cudaStreamSynchronize(stream));
  home[0] = 5;
  add_into<<<6, 256, 0, stream>>>(kCount, x, x);
  CHECK(cudaMemcpyAsync(home, x, kBytes, cudaMemcpyDeviceToHost, stream));
  if (!options.has("--early-read")) CHECK(cudaStreamSynchronize(stream));
  const float value = home[0];
  CHECK(cudaStreamSynchronize(stream));
  return verdict(value, 2);
}

/// A kernel writes mapped host memory.
int mapped(bool early) {
  float* home = make_pinned(kCount);
  const cudaStream_t stream = make_stream(0);
  fill<<<6, 256, 0, stream>>>(kCount, home, 3);
  if (!early) CHECK(cudaStreamSynchronize(stream));
  const float value = home[1];
  CHECK(cudaStreamSynchronize(stream));
  return verdict(value, 3);
}

int out_of_memory() {
  void* p;
  const cudaError_t error = cudaMalloc(&p, std::size_t(1) << 40);
  std::size_t free = 0, total = 0;
  std::printf("%s, then %s\n", cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaMemGetInfo(&free, &total));
  make_floats(0, kCount);
  return error == cudaErrorMemoryAllocation && free == total ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  if (options.has("--peer-read")) return peer_read(!options.has("--no-access"));
  if (options.has("--peer-copy")) return peer_copy();
  if (options.has("--neighbours")) return neighbours(options.has("--overlap"));
  if (options.has("--pinned")) return pinned(options);
  if (options.has("--mapped")) return mapped(options.has("--early-read"));
  if (options.has("--out-of-memory")) return out_of_memory();
  float* x = make_floats(0, kCount);
  const cudaStream_t stream = make_stream(0);
  fill<<<6, 256, 0, stream>>>(options.has("--beyond") ? kCount + 1 : kCount, x, 1);
  if (options.has("--dereference")) return int(x[0]);
  if (options.has("--free-early")) CHECK(cudaFree(x));
  fill<<<6, 256, 0, stream>>>(options.has("--free-early") ? kCount : 0, x, 2);
  CHECK(cudaStreamSynchronize(stream));
  return 0;
}
