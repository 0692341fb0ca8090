// Devices, versions, peer access.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"
#include "tests/fake_cuda/runtime/visible.hpp"

using namespace fake;

namespace {

void require_device(int device) {
  require(device >= 0 && device < static_cast<int>(settings().gpus.size()), cudaErrorInvalidDevice);
}

int physical(int device) {
  return settings().gpus[static_cast<std::size_t>(device)];
}

std::set<int>& peers() {
  return scheduler().gpus[static_cast<std::size_t>(current_device())].peers;
}

/// What dpx and its tests may ask of a device.
cudaDeviceProp properties(int device) {
  const Model& model = settings().models[static_cast<std::size_t>(device)];
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", model.name.c_str());
  const std::array<char, 16> uuid = uuid_of(physical(device));
  std::copy(uuid.begin(), uuid.end(), p.uuid.bytes);
  p.totalGlobalMem = model.memory_bytes;
  p.sharedMemPerBlock = 48 << 10;
  p.sharedMemPerBlockOptin = 227 << 10;
  p.sharedMemPerMultiprocessor = 228 << 10;
  p.regsPerBlock = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiProcessor = 2048;
  for (int i = 0; i < 3; ++i) p.maxThreadsDim[i] = i < 2 ? 1024 : 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.major = model.capability / 10;
  p.minor = model.capability % 10;
  p.multiProcessorCount = model.multiprocessors;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 50 << 20;
  p.pciBusID = physical(device) + 1;
  p.asyncEngineCount = 2;
  p.unifiedAddressing = p.canMapHostMemory = p.concurrentKernels = 1;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  return p;
}

int attribute(cudaDeviceAttr which, int device) {
  const cudaDeviceProp p = properties(device);
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrClockRate:
      return 1980000;
    case cudaDevAttrMemoryClockRate:
      return 2619000;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrPciBusId:
      return p.pciBusID;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
      return 0;
    default:
      fake_unfaked("cudaDeviceGetAttribute of this attribute", "libcudart.so.13");
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call("cudaGetDeviceCount", [&] { *count = static_cast<int>(settings().gpus.size()); });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&] {
    require_device(device);
    current_device() = device;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&] { *device = current_device(); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return call("cudaGetDeviceProperties", [&] {
    require_device(device);
    *p = properties(device);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call("cudaDeviceGetAttribute", [&] {
    require_device(device);
    *value = attribute(which, device);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call("cudaDeviceGetPCIBusId", [&] {
    require_device(device);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", physical(device) + 1);
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&] {
    *least = 0;
    *greatest = -5;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  const Session session;
  *version = settings().driver;
  return remember(static_cast<cudaError_t>(injected_failure("cudaDriverGetVersion")));
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", [&] {
    require_device(device);
    require_device(peer);
    *can = device != peer && settings().peer != Peer::off;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call("cudaDeviceEnablePeerAccess", [&] {
    require_device(peer);
    require(flags == 0, cudaErrorInvalidValue);
    require(peer != current_device() && settings().peer != Peer::off, cudaErrorPeerAccessUnsupported);
    require(peers().insert(peer).second, cudaErrorPeerAccessAlreadyEnabled);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call("cudaDeviceDisablePeerAccess",
              [&] { require(peers().erase(peer) == 1, cudaErrorPeerAccessNotEnabled); });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [] {
    require_no_capture();
    scheduler().synchronize_device(current_device());
  });
}

}  // extern "C"
