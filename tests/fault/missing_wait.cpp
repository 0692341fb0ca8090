// The planted fault: device 1 adds what device 0 is still writing, because the wait for device 0's event was
// left out. Built for ThreadSanitizer only, which must report the race; with the wait (any argument) it must
// stay silent. Device 0 starts only when everything is enqueued, so that no lock taken while enqueueing
// orders its write before the read by chance: the gate is a relaxed atomic, which orders nothing.
#include <atomic>
#include <thread>

#include "kernels/cpu/cpu_stream.hpp"
#include "tests/support/devices.hpp"

int main(int argc, char**) {
  dpx::Group group = dpx::test::cpu_group(2);
  const dpx::test::RankBuffers buffers(
      group, {std::vector<float>(1 << 16, 1.0f), std::vector<float>(1 << 16, 2.0f)});
  dpx::Stream &writer = group.device(0).compute(), &reader = group.device(1).comm();
  std::atomic<bool> all_enqueued{false};
  dynamic_cast<dpx::CpuStream&>(writer).enqueue([&] {
    while (!all_enqueued.load(std::memory_order_relaxed)) std::this_thread::yield();
  });
  writer.scale(buffers.slices()[0], 3.0f);
  const dpx::Event written = writer.record();
  if (argc > 1) reader.wait(written);
  reader.add(buffers.slices()[1], buffers.slices()[0]);
  all_enqueued.store(true, std::memory_order_relaxed);
  group.synchronize();
  return buffers.read(1)[0] == 5.0f || argc == 1 ? 0 : 1;
}
