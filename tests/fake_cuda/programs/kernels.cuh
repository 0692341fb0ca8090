#pragma once
// Device code of the small programs: compiled by nvcc into them and by g++ for their twins.

namespace fake_programs {

__global__ void fill(int n, float* x, float value) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = value;
}

/// dst += src.
__global__ void add_into(int n, float* dst, const float* src) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) dst[i] += src[i];
}

/// One partial sum per block, by shuffles and shared memory. `barrier` off is the planted fault.
template <int THREADS>
__global__ void block_sum(int n, const float* x, float* out, bool barrier) {
  __shared__ float parts[THREADS / 32];
  float sum = 0;
  for (int i = int(blockIdx.x * THREADS + threadIdx.x); i < n; i += int(gridDim.x) * THREADS) sum += x[i];
  for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  if (barrier) __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int warp = 0; warp < THREADS / 32; ++warp) total += parts[warp];
    out[blockIdx.x] = total;
  }
}

/// The same through dynamic shared memory, by halving.
__global__ void halving_sum(int n, const float* x, float* out) {
  DPX_DYNAMIC_SHARED(float, parts);
  const unsigned t = threadIdx.x;
  parts[t] = int(t) < n ? x[t] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) parts[t] += parts[t + half];
    __syncthreads();
  }
  if (t == 0) *out = parts[0];
}

/// Half of the block never reaches the barrier, and the other half waits for it by shuffles.
__global__ void stuck(float* out) {
  if (threadIdx.x < 16) *out = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
}

__global__ void count(int* counter) {
  atomicAdd(counter, 1);
}

/// Has no twin.
__global__ void only_on_gpus(float* x) {
  *x = 1;
}

}  // namespace fake_programs
