// Threads of a block: `--miss-barrier` leaves out a __syncthreads, `--stuck` shuffles with threads that never
// come.
#include "tests/fake_cuda/programs/program.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

using namespace fake_programs;

int main(int argc, char** argv) {
  const Options options{argc, argv};
  constexpr int kCount = 1000;
  float *x = make_floats(0, kCount), *sums = make_floats(0, 8), *home = make_pinned(8);
  int* counter = reinterpret_cast<int*>(sums + 7);
  const cudaStream_t stream = make_stream(0);
  CHECK(cudaMemsetAsync(sums, 0, 8 * sizeof(float), stream));
  fill<<<4, 256, 0, stream>>>(kCount, x, 1);
  block_sum<128><<<4, 128, 0, stream>>>(kCount, x, sums, !options.has("--miss-barrier"));
  halving_sum<<<1, 512, 512 * sizeof(float), stream>>>(500, x, sums + 4);
  if (options.has("--stuck")) stuck<<<1, 32, 0, stream>>>(sums + 5);
  count<<<3, 100, 0, stream>>>(counter);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(home, sums, 8 * sizeof(float), cudaMemcpyDefault, stream));
  CHECK(cudaStreamSynchronize(stream));
  int counted;
  std::memcpy(&counted, home + 7, sizeof counted);
  return verdict(home[0] + home[1] + home[2] + home[3] + home[4] + float(counted), kCount + 500 + 300);
}
