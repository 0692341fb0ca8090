#include "kernels/cpu/emulated_reducer.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "kernels/cpu/bf16_ops.hpp"
#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/vector_ops.hpp"
#include "lib/comm/emulated_plan.hpp"
#include "lib/core/interrupt.hpp"

namespace dpx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kShort{60};      // a sleep this short would last twice as long
constexpr milliseconds kLongSleep{50};  // then looks for Ctrl-C

/// Lets this thread's sleeps end on time; the kernel adds 50 us by default.
void ask_for_exact_sleep() {
  thread_local const int asked = prctl(PR_SET_TIMERSLACK, 1UL);
  (void)asked;
}

/// Asleep to the very end where it is far: on a busy machine a thread that wakes up runs at once, one that
/// spins or yields may lose its core for milliseconds. A short rest is spun, with yields: other ranks may
/// need this core.
void wait_for_time(Clock::time_point time) {
  for (auto now = Clock::now(); now < time && interrupt_signal() == 0; now = Clock::now()) {
    if (time - now > kShort)
      std::this_thread::sleep_for(std::min<Clock::duration>(time - now, kLongSleep));
    else
      sched_yield();
  }
}

void wait_for_count(const std::atomic<int>& counter, int value) {
  for (int found = counter.load(std::memory_order_acquire); found < value;
       found = counter.load(std::memory_order_acquire))
    counter.wait(found, std::memory_order_acquire);
}

void raise(std::atomic<int>& counter, int value) {
  counter.store(value, std::memory_order_release);
  counter.notify_all();
}

/// How far a rank has come in one allreduce. Own cache line: others wait on it.
struct alignas(128) Progress {
  std::atomic<int> entered{0};   ///< first step whose chunks may not be read yet
  std::atomic<int> received{0};  ///< transfers complete
};

/// A schedule's times for one number of elements, and how often each rank has carried its part.
struct Plan {
  DType dtype;
  EmulatedPlan emulation;
  std::vector<std::int64_t> runs;  ///< per rank
};

/// One allreduce. The last rank to arrive sets the time that all count from.
struct Operation {
  Operation(Plan& carried, std::vector<Slice> buffers, Range run)
      : plan(carried), slices(std::move(buffers)), first(run.first), ranks(slices.size()) {
    missing.store(int(slices.size()), std::memory_order_relaxed);
  }
  void arrive();

  Plan& plan;
  const std::vector<Slice> slices;
  const std::size_t first;  ///< element
  std::vector<Progress> ranks;
  std::atomic<int> missing{0}, started{0};
  Clock::time_point start;
};

void Operation::arrive() {
  if (missing.fetch_sub(1, std::memory_order_acq_rel) > 1) return wait_for_count(started, 1);
  start = Clock::now();
  raise(started, 1);
}

class EmulatedReducer final : public Reducer {
 public:
  EmulatedReducer(std::unique_ptr<Schedule> schedule, const LinkModel& link, Group& group)
      : schedule_(std::move(schedule)), link_(link), group_(group) {
    for (int rank = 0; rank < group.size(); ++rank)
      streams_.push_back(&dynamic_cast<CpuStream&>(group.device(rank).comm()));
  }
  ~EmulatedReducer() override { group_.drain(); }
  std::string name() const override { return schedule_->name(); }
  std::string transport() const override { return "emulated link (" + describe(link_) + ")"; }
  LinkElements elements_carried() const override;
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;

 private:
  Plan& plan_for(std::size_t count, DType dtype);
  static void run(Operation& operation, std::size_t rank);
  static void carry_out(const PlannedTransfer& transfer, const Operation& operation, std::size_t rank);

  std::unique_ptr<Schedule> schedule_;
  LinkModel link_;
  Group& group_;
  std::vector<CpuStream*> streams_;
  std::vector<std::unique_ptr<Plan>> plans_;
};

Plan& EmulatedReducer::plan_for(std::size_t count, DType dtype) {
  for (const auto& plan : plans_)
    if (plan->emulation.count == count && plan->dtype == dtype) return *plan;
  plans_.push_back(std::make_unique<Plan>(
      Plan{dtype, plan_emulation(*schedule_, count, std::int64_t(size_of(dtype)), link_),
           std::vector<std::int64_t>(streams_.size())}));
  return *plans_.back();
}

std::vector<Event> EmulatedReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                              const std::vector<Event>& ready) {
  const auto operation =
      std::make_shared<Operation>(plan_for(elements.count, slices[0].dtype), slices, elements);
  std::vector<Event> done;
  for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
    for (const Event& event : ready) streams_[rank]->wait(event);
    done.push_back(streams_[rank]->run_together([operation, rank] { run(*operation, rank); }));
  }
  return done;
}

void EmulatedReducer::run(Operation& operation, std::size_t rank) {
  ask_for_exact_sleep();
  operation.arrive();
  const auto at = [&](double time_s) {
    return operation.start + std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(time_s));
  };
  Progress& own = operation.ranks[rank];
  int received = 0;
  for (const PlannedStep& step : operation.plan.emulation.ranks[rank]) {
    raise(own.entered, step.step + 1);
    for (const PlannedTransfer& t : step.incoming) {
      wait_for_time(at(t.start_s));
      wait_for_count(operation.ranks[std::size_t(t.src)].entered, step.step + 1);
      carry_out(t, operation, rank);
      wait_for_time(at(t.end_s));
      raise(own.received, ++received);
    }
    for (const PlannedReader& reader : step.readers)
      wait_for_count(operation.ranks[std::size_t(reader.rank)].received, reader.received);
  }
  ++operation.plan.runs[rank];
}

void EmulatedReducer::carry_out(const PlannedTransfer& t, const Operation& operation, std::size_t rank) {
  const Range run{operation.first + t.elements.first, t.elements.count};
  const Slice dst = operation.slices[rank].sub(run), src = operation.slices[std::size_t(t.src)].sub(run);
  if (t.op == Op::copy)
    std::memcpy(dst.data, src.data, dst.bytes());
  else if (dst.dtype == DType::bf16)
    cpu::add(dst.as<Bf16>(), src.as<Bf16>(), run.count);
  else
    cpu::add(dst.as<float>(), src.as<float>(), run.count);
}

LinkElements EmulatedReducer::elements_carried() const {
  LinkElements carried;
  for (const auto& plan : plans_)
    for (std::size_t rank = 0; rank < streams_.size(); ++rank)
      for (const PlannedStep& step : plan->emulation.ranks[rank])
        for (const PlannedTransfer& t : step.incoming)
          if (plan->runs[rank] > 0)
            carried[{t.src, int(rank)}] += plan->runs[rank] * std::int64_t(t.elements.count);
  return carried;
}

}  // namespace

std::unique_ptr<Reducer> make_emulated_reducer(std::unique_ptr<Schedule> schedule, const LinkModel& link,
                                               Group& group) {
  return std::make_unique<EmulatedReducer>(std::move(schedule), link, group);
}

}  // namespace dpx
