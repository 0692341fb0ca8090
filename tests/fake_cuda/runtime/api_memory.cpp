// Allocation, copies, fills.
#include <cstring>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

using namespace fake;

namespace {

constexpr int kHost = -1;

/// The GPU whose memory `p` is, or kHost.
int place_of(const void* p) {
  const int arena = memory().arena_of(p);
  return arena == memory().pinned_arena() ? kHost : arena;
}

void* allocate(int arena, std::size_t bytes) {
  require_no_capture();
  void* p = memory().allocate(arena, bytes);
  require(p != nullptr, cudaErrorMemoryAllocation);
  return p;
}

void release(void* p, bool pinned) {
  if (!p) return;
  require_no_capture();
  for (int device = 0; device < memory().pinned_arena(); ++device) scheduler().synchronize_device(device);
  require(memory().release(p, pinned), cudaErrorInvalidValue);
}

/// Bytes of a GPU or of pinned memory must lie inside one allocation.
void require_inside(const void* p, std::size_t bytes) {
  require(p != nullptr, cudaErrorInvalidValue);
  if (memory().arena_of(p) < 0) return;
  const auto block = memory().block_of(p);
  require(block && static_cast<const char*>(p) + bytes <= block->begin + block->bytes, cudaErrorInvalidValue);
}

/// The kind says where both ends are; the real library refuses a lie.
void require_kind(cudaMemcpyKind kind, int to, int from) {
  if (kind == cudaMemcpyDefault) return;
  const bool device_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool device_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  require(device_to == (to != kHost) && device_from == (from != kHost), cudaErrorInvalidValue);
}

/// The faulty bridge of DPX_FAKE_PEER=corrupt: direct copies between peers lose a bit.
bool corrupts(int to, int from) {
  if (settings().peer != Peer::corrupt || to == from || to == kHost || from == kHost) return false;
  return scheduler().gpus[static_cast<std::size_t>(from)].peers.count(to) ||
         scheduler().gpus[static_cast<std::size_t>(to)].peers.count(from);
}

std::string copy_name(const char* verb, std::size_t bytes, int to, int from) {
  const auto place = [](int p) { return p == kHost ? std::string("host") : "GPU " + std::to_string(p); };
  return std::string(verb) + " of " + std::to_string(bytes) + " bytes from " + place(from) + " to " +
         place(to);
}

void copy(void* dst, const void* src, std::size_t bytes, Stream& stream) {
  if (!bytes) return;
  require_inside(dst, bytes);
  require_inside(src, bytes);
  const int to = place_of(dst), from = place_of(src);
  const bool pageable_from = memory().arena_of(src) < 0, pageable_to = memory().arena_of(dst) < 0;
  std::shared_ptr<char[]> staged;  // pageable memory has been read when the call returns
  if (pageable_from && !stream.capture) {
    staged = std::make_unique<char[]>(bytes);
    std::memcpy(staged.get(), src, bytes);
  }
  const bool corrupt = corrupts(to, from);
  Operation operation{.kind = Operation::Kind::copy, .name = copy_name("copy", bytes, to, from)};
  operation.device = stream.device;
  operation.engine = to == stream.device && from != to ? Engine::copy_in : Engine::copy_out;
  operation.cost_s = copy_seconds(bytes, from, to);
  operation.touched = {{src, bytes, false}, {dst, bytes, true}};
  operation.body = [=] {
    auto* to_bytes = static_cast<char*>(memory().always_open(dst));
    std::memmove(to_bytes, staged ? staged.get() : memory().always_open(src), bytes);
    if (corrupt) to_bytes[bytes / 2] ^= 1;
  };
  scheduler().issue(stream, std::move(operation));
  if (pageable_to && !stream.capture) scheduler().synchronize(stream);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  return call("cudaMalloc", [&] { *p = bytes ? allocate(current_device(), bytes) : nullptr; });
}

cudaError_t cudaFree(void* p) {
  return call("cudaFree", [&] { release(p, false); });
}

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned flags) {
  return call("cudaHostAlloc", [&] {
    require((flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) == 0,
            cudaErrorInvalidValue);
    *p = bytes ? allocate(memory().pinned_arena(), bytes) : nullptr;
  });
}

cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
  return cudaHostAlloc(p, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* p) {
  return call("cudaFreeHost", [&] { release(p, true); });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", [&] {
    require(memory().is_pinned(host), cudaErrorInvalidValue);
    *device = host;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", [&] {
    *total = memory().arena(current_device()).capacity();
    *free = *total - memory().arena(current_device()).used();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  return call("cudaPointerGetAttributes", [&] {
    const int arena = memory().arena_of(p);
    *attributes = {};
    attributes->type = arena < 0              ? cudaMemoryTypeUnregistered
                       : place_of(p) == kHost ? cudaMemoryTypeHost
                                              : cudaMemoryTypeDevice;
    attributes->device = arena < 0 ? -2 : place_of(p) == kHost ? 0 : arena;
    attributes->devicePointer = arena < 0 ? nullptr : const_cast<void*>(p);
    attributes->hostPointer = place_of(p) == kHost ? const_cast<void*>(p) : nullptr;
  });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] {
    if (bytes) require_kind(kind, place_of(dst), place_of(src));
    copy(dst, src, bytes, stream_of(stream, "cudaMemcpyAsync"));
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device, std::size_t bytes,
                                cudaStream_t stream) {
  return call("cudaMemcpyPeerAsync", [&] {
    require(!bytes || (place_of(dst) == dst_device && place_of(src) == src_device), cudaErrorInvalidValue);
    copy(dst, src, bytes, stream_of(stream, "cudaMemcpyPeerAsync"));
  });
}

cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t handle) {
  return call("cudaMemsetAsync", [&] {
    Stream& stream = stream_of(handle, "cudaMemsetAsync");
    if (!bytes) return;
    require_inside(p, bytes);
    require(memory().arena_of(p) >= 0, cudaErrorInvalidValue);
    Operation operation{.kind = Operation::Kind::set,
                        .name = "memset of " + std::to_string(bytes) + " bytes"};
    operation.device = stream.device;
    operation.engine = Engine::compute;
    operation.cost_s = copy_seconds(bytes, 0, 0);
    operation.touched = {{p, bytes, true}};
    operation.body = [=] { std::memset(memory().always_open(p), value, bytes); };
    scheduler().issue(stream, std::move(operation));
  });
}

cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind) {
  stop("cudaMemcpy uses the default stream, which waits for every other");
}

cudaError_t cudaMemset(void*, int, std::size_t) {
  stop("cudaMemset uses the default stream, which waits for every other");
}

}  // extern "C"
