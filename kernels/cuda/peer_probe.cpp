// Peer access is trusted only after a checked copy: some machines report it, accept every call, and deliver
// wrong bytes (IOMMU, ACS).
#include <fmt/format.h>

#include <vector>

#include "kernels/cuda/fabric.hpp"
#include "kernels/cuda/launch.hpp"

namespace dpx::cuda {
namespace {

constexpr std::size_t kCount = (1 << 18) + 17;  // 1 MiB and a bit: no multiple of a page
constexpr std::size_t kBytes = kCount * sizeof(float);

void enable(int device, int peer) {
  use_device(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check(status, "cudaDeviceEnablePeerAccess", __FILE__, __LINE__);
}

void disable(int device, int peer) {
  use_device(device);
  const cudaError_t status = cudaDeviceDisablePeerAccess(peer);
  if (status == cudaErrorPeerAccessNotEnabled)
    cudaGetLastError();
  else
    check(status, "cudaDeviceDisablePeerAccess", __FILE__, __LINE__);
}

float pattern(std::size_t i, int from, int to) {
  return float(i % 8191 * 16 + std::size_t(from) * 4 + std::size_t(to) + 1);
}

/// The pattern arrives by the copy engine; a kernel of the receiver then adds the sender's memory to it.
std::string probe(int from, int to) {
  std::vector<float> sent(kCount), found(kCount);
  for (std::size_t i = 0; i < kCount; ++i) sent[i] = pattern(i, from, to);
  use_device(from);
  const DeviceMemory source = allocate_device(kBytes);
  const StreamHandle sender = make_stream();
  DPX_CHECK(cudaMemcpyAsync(source.get(), sent.data(), kBytes, cudaMemcpyHostToDevice, sender.get()));
  DPX_CHECK(cudaStreamSynchronize(sender.get()));
  use_device(to);
  const DeviceMemory target = allocate_device(kBytes);
  const StreamHandle receiver = make_stream();
  DPX_CHECK(cudaMemsetAsync(target.get(), 0xff, kBytes, receiver.get()));
  DPX_CHECK(cudaMemcpyPeerAsync(target.get(), to, source.get(), from, kBytes, receiver.get()));
  launch_add(receiver.get(), {target.get(), kCount, DType::f32}, {source.get(), kCount, DType::f32});
  DPX_CHECK(cudaMemcpyAsync(found.data(), target.get(), kBytes, cudaMemcpyDeviceToHost, receiver.get()));
  DPX_CHECK(cudaStreamSynchronize(receiver.get()));
  for (std::size_t i = 0; i < kCount; ++i)
    if (found[i] != 2 * sent[i])
      return fmt::format("element {} of a probe from cuda:{} to cuda:{} is {}, not {}", i, from, to, found[i],
                         2 * sent[i]);
  return "";
}

}  // namespace

std::string probe_peer(int from, int to) {
  enable(from, to);
  enable(to, from);
  return probe(from, to);
}

void end_peer_access(int a, int b) {
  disable(a, b);
  disable(b, a);
}

}  // namespace dpx::cuda
