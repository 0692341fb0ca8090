// Runs a twin: blocks one after the other, threads as fibers; and what device code calls.
#include <algorithm>
#include <numeric>

#include "tests/fake_cuda/runtime/fibers.hpp"
#include "tests/fake_cuda/runtime/kernels.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/recorder.hpp"
#include "tests/fake_cuda/runtime/scheduler.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"
#include "tests/fake_cuda/runtime/shared_memory.hpp"

namespace fake {
namespace {

/// 0 ... count - 1; shuffled when schedules are random.
std::vector<int> order_of(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (settings().policy == Policy::random) std::shuffle(order.begin(), order.end(), scheduler().random());
  return order;
}

/// Where accesses are noted while a kernel runs. Called for each of them, so the usual case comes first.
struct Watch {
  bool on = false;
  std::uintptr_t base = 0, extent = 0;  ///< of all GPUs' memory
  Recorder* recorder = nullptr;
  SharedMemory* shared = nullptr;
};
Watch watch;

inline void note(const volatile void* address, std::size_t bytes, bool write, bool atomic = false) {
  if (!watch.on) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at - watch.base < watch.extent)
    watch.recorder->note(at, bytes, write);
  else
    watch.shared->note(at, bytes, write, atomic);
}

/// Brings a value to the other threads of `mask` and waits for them; returns which slot holds it.
unsigned bring(unsigned mask, std::uint64_t value) {
  Fiber& self = block().current();
  const unsigned slot = self.exchanges++ & 1;
  self.slots[slot] = value;
  self.mask = mask;
  block().wait(Fiber::State::at_exchange);
  return slot;
}

Fiber& lane_of(const Fiber& self, int lane) {
  return block().at(self.index / 32 * 32 + lane);
}

}  // namespace

void run_kernel(const Kernel& kernel, const LaunchShape& shape, const Arguments& arguments) {
  std::vector<void*> pointers;
  for (const auto& argument : arguments)
    pointers.push_back(const_cast<void*>(static_cast<const void*>(argument.data())));
  watch = {recorder().active(), memory().base(), memory().extent(), &recorder(), &shared_memory()};
  const std::function<void()> body = [&] { kernel.thunk(kernel.twin, pointers.data()); };
  const dim3 grid = shape.grid, extent = shape.block;
  const std::size_t threads = std::size_t(extent.x) * extent.y * extent.z;
  std::vector<int> order;
  for (const int b : order_of(std::size_t(grid.x) * grid.y * grid.z)) {
    const auto index = static_cast<unsigned>(b);
    const uint3 where{index % grid.x, index / grid.x % grid.y, index / (grid.x * grid.y)};
    shared_memory().start_block(kernel.name, shape.shared_bytes);
    if (order.empty() || settings().policy == Policy::random) order = order_of(threads);
    block().run({.block = where, .block_size = extent, .grid_size = grid}, order, body, kernel.name);
  }
  watch.on = false;
}

}  // namespace fake

using fake::note;

extern "C" {

uint3 fake_thread_index() {
  return fake::block().current().thread;
}
uint3 fake_block_index() {
  return fake::block().place().block;
}
dim3 fake_block_size() {
  return fake::block().place().block_size;
}
dim3 fake_grid_size() {
  return fake::block().place().grid_size;
}
void* fake_dynamic_shared() {
  return fake::shared_memory().dynamic();
}
void fake_syncthreads() {
  fake::block().wait(fake::Fiber::State::at_barrier);
}

std::uint64_t fake_exchange(unsigned mask, std::uint64_t value, int source) {
  const unsigned slot = fake::bring(mask, value);
  return fake::lane_of(fake::block().current(), source).slots[slot];
}

unsigned fake_ballot(unsigned mask, bool value) {
  const unsigned slot = fake::bring(mask, value);
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1 && fake::lane_of(fake::block().current(), lane).slots[slot]) bits |= 1u << lane;
  return bits;
}

void fake_atomic(void* address, std::size_t bytes) {
  note(address, bytes, false, true);
  note(address, bytes, true, true);
}

// What g++ -fsanitize=thread calls for each access of a twin.
#define FAKE_ACCESS(bytes)                      \
  void __tsan_read##bytes(void* p) {            \
    note(p, bytes, false);                      \
  }                                             \
  void __tsan_write##bytes(void* p) {           \
    note(p, bytes, true);                       \
  }                                             \
  void __tsan_unaligned_read##bytes(void* p) {  \
    note(p, bytes, false);                      \
  }                                             \
  void __tsan_unaligned_write##bytes(void* p) { \
    note(p, bytes, true);                       \
  }                                             \
  void __tsan_volatile_read##bytes(void* p) {   \
    note(p, bytes, false);                      \
  }                                             \
  void __tsan_volatile_write##bytes(void* p) {  \
    note(p, bytes, true);                       \
  }
FAKE_ACCESS(1)
FAKE_ACCESS(2)
FAKE_ACCESS(4)
FAKE_ACCESS(8)
FAKE_ACCESS(16)
void __tsan_read_range(void* p, std::size_t bytes) {
  note(p, bytes, false);
}
void __tsan_write_range(void* p, std::size_t bytes) {
  note(p, bytes, true);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"
