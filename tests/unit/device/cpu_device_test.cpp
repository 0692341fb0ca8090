// CPU devices behave like GPUs: asynchronous streams, events, sticky errors, and many devices on few cores.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/team.hpp"
#include "tests/support/devices.hpp"

namespace dpx {
namespace {

CpuStream& compute(Group& group, int rank) {
  return dynamic_cast<CpuStream&>(group.device(rank).compute());
}

TEST(CpuStream, WorkRunsInOrderAndWithoutBlockingTheHost) {
  Group group = test::cpu_group(1);
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
  std::vector<int> order;  // touched by the stream's thread only, until synchronize
  compute(group, 0).enqueue([open] { open.wait(); });
  for (int i = 0; i < 100; ++i) compute(group, 0).enqueue([&order, i] { order.push_back(i); });
  const Event end = compute(group, 0).record();
  EXPECT_FALSE(end->reached());
  gate.set_value();
  end->synchronize();
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[std::size_t(i)], i);
}

TEST(CpuStream, EventsOrderStreamsOfDifferentDevices) {
  Group group = test::cpu_group(2);
  int value = 0;  // written by device 0, read by device 1; only the event orders them
  compute(group, 0).enqueue([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    value = 42;
  });
  compute(group, 1).wait(compute(group, 0).record());
  int seen = 0;
  compute(group, 1).enqueue([&] { seen = value; });
  group.synchronize();
  EXPECT_EQ(seen, 42);
}

TEST(CpuStream, ElapsedTimeIsBetweenEvents) {
  Group group = test::cpu_group(1);
  const Event begin = compute(group, 0).record();
  compute(group, 0).enqueue([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  const Event end = compute(group, 0).record();
  end->synchronize();
  EXPECT_GE(end->elapsed_s_since(*begin), 0.010);
}

TEST(CpuStream, ErrorsAreStickyAndSurfaceAtSynchronize) {
  Group group = test::cpu_group(2);
  std::atomic<bool> ran{false};
  compute(group, 0).enqueue([] { throw std::runtime_error("planted"); });
  compute(group, 0).enqueue([&] { ran = true; });
  const Event after = compute(group, 0).record();
  compute(group, 1).wait(after);  // a failed device must not make others wait for ever
  EXPECT_NO_THROW(group.device(1).synchronize());
  EXPECT_THROW(after->synchronize(), std::runtime_error);
  EXPECT_THROW(group.device(0).comm().synchronize(), std::runtime_error);
  EXPECT_THROW(group.synchronize(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST(CpuStream, RefusesSlicesThatDoNotMatch) {
  Group group = test::cpu_group(1);
  Buffer buffer = group.device(0).allocate(64);
  const Slice all = buffer.slice(DType::f32);
  EXPECT_THROW(compute(group, 0).copy(all, all.sub({0, 3})), std::runtime_error);
  EXPECT_THROW(compute(group, 0).add(all, buffer.slice(DType::u8).sub({0, 16})), std::runtime_error);
}

TEST(CpuStream, CopyAddAxpyScale) {
  Group group = test::cpu_group(1);
  std::vector<float> a(1001, 2.0f), b(1001, 3.0f);
  const Slice sa{a.data(), a.size(), DType::f32}, sb{b.data(), b.size(), DType::f32};
  Stream& stream = group.device(0).compute();
  stream.add(sa, sb);          // 5
  stream.axpy(sa, -0.5f, sb);  // 3.5
  stream.scale(sa, 2.0f);      // 7
  stream.copy(sb, sa);
  stream.synchronize();
  EXPECT_EQ(b, std::vector<float>(1001, 7.0f));
}

TEST(CpuDevice, SixteenDevicesOnFewCoresPassAroundWork) {
  constexpr int kDevices = 16, kRounds = 50;
  Group group = test::cpu_group(kDevices);
  int token = 0;
  Event last;
  for (int round = 0; round < kRounds; ++round)
    for (int rank = 0; rank < kDevices; ++rank) {
      compute(group, rank).wait(last);
      compute(group, rank).enqueue([&token] { ++token; });
      last = compute(group, rank).record();
    }
  last->synchronize();
  EXPECT_EQ(token, kDevices * kRounds);
}

TEST(CpuDevice, AllocationsAreZeroedAndAligned) {
  Group group = test::cpu_group(1);
  for (std::size_t bytes : {0, 1, 63, 64, 65, 516272}) {
    const Buffer buffer = group.device(0).allocate(bytes);
    const Slice slice = buffer.slice(DType::u8);
    EXPECT_EQ(slice.count, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slice.data) % 64, 0u);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(slice.as<std::uint8_t>()[i], 0);
  }
}

TEST(CpuDevice, SaysWhatItIs) {
  Group group = test::cpu_group(2, 3);
  EXPECT_EQ(group.device(1).info().name, "cpu:1");
  EXPECT_EQ(group.device(1).info().threads, 3);
  EXPECT_EQ(group.device(0).info().physical, group.device(1).info().physical);
}

TEST(Team, EveryTaskOnceForEverySize) {
  for (int size : {1, 2, 3, 5}) {
    Team team(size);
    for (int tasks : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(tasks));
      team.run(tasks, [&](int task, int worker) {
        EXPECT_LT(worker, size);
        ++done[std::size_t(task)];
      });
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Team, RethrowsATasksExceptionAndGoesOnWorking) {
  Team team(3);
  EXPECT_THROW(team.run(10,
                        [](int task, int) {
                          if (task == 4) throw std::runtime_error("planted");
                        }),
               std::runtime_error);
  std::atomic<int> sum{0};
  team.run(10, [&](int task, int) { sum += task; });
  EXPECT_EQ(sum, 45);
}

}  // namespace
}  // namespace dpx
