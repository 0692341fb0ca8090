#include "kernels/cpu/shared_reducer.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/bf16_ops.hpp"
#include "kernels/cpu/cpu_stream.hpp"
#include "kernels/cpu/rank_programs.hpp"
#include "kernels/cpu/spin.hpp"
#include "kernels/cpu/vector_ops.hpp"
#include "lib/core/error.hpp"

namespace dpx {
namespace {

constexpr int kMaxPeers = 256;

/// How far a rank has come, in steps since the reducer was made. Own cache line: others spin on it.
struct alignas(128) Position {
  std::atomic<std::int64_t> entered{0};   ///< this step may be read by others: all earlier ones are complete
  std::atomic<std::int64_t> finished{0};  ///< this rank has done its part of all steps below
  std::int64_t base = 0;                  ///< first step of the current allreduce; this rank's thread only
};

void wait_until(const std::atomic<std::int64_t>& position, std::int64_t step) {
  for (int spins = 0; position.load(std::memory_order_acquire) < step; ++spins) {
    if (spins < 64)
      cpu::pause();
    else
      sched_yield();  // the other rank may need this core
  }
}

/// One action of a rank; T is the buffers' element type.
template <class T>
void carry_out_as(const RankAction& action, const std::vector<Slice>& slices, int rank) {
  std::array<T*, kMaxPeers> buffers;
  const std::size_t first = action.elements.first, count = action.elements.count;
  buffers[0] = slices[std::size_t(rank)].as<T>() + first;
  std::size_t n = 1;
  for (int peer : action.peers) buffers[n++] = slices[std::size_t(peer)].as<T>() + first;
  switch (action.kind) {
    case RankAction::copy:
      std::memcpy(buffers[0], buffers[1], count * sizeof(T));
      break;
    case RankAction::add:
      cpu::add_n(buffers.data(), n, count);
      break;
    case RankAction::add_to_all:
      cpu::add_n_to_all(buffers.data(), n, count);
      break;
  }
}

void carry_out(const RankAction& action, const std::vector<Slice>& slices, int rank) {
  if (slices[0].dtype == DType::bf16) return carry_out_as<Bf16>(action, slices, rank);
  carry_out_as<float>(action, slices, rank);
}

void require_one_summable_type(const std::vector<Slice>& slices) {
  for (const Slice& slice : slices)
    if (slice.dtype != slices[0].dtype || (slice.dtype != DType::f32 && slice.dtype != DType::bf16))
      throw Error(Exit::internal,
                  fmt::format("allreduce of {} and {} buffers; all fp32 or all bf16 can be summed",
                              name_of(slices[0].dtype), name_of(slice.dtype)));
}

/// A schedule compiled for one run of elements, and what each rank has carried of it.
struct Plan {
  Range elements;
  RankPrograms programs;
  std::vector<std::int64_t> runs;  ///< per rank
};

class SharedReducer final : public Reducer {
 public:
  SharedReducer(std::unique_ptr<Schedule> schedule, Group& group)
      : schedule_(std::move(schedule)), group_(group), positions_(std::size_t(group.size())) {
    for (int rank = 0; rank < group.size(); ++rank)
      streams_.push_back(&dynamic_cast<CpuStream&>(group.device(rank).comm()));
  }
  ~SharedReducer() override { group_.drain(); }
  std::string name() const override { return schedule_->name(); }
  std::string transport() const override { return "shared memory"; }
  LinkElements elements_carried() const override;
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;

 private:
  Plan& plan_for(Range elements);
  const std::vector<Slice>* remember(const std::vector<Slice>& slices);
  void run(Plan& plan, const std::vector<Slice>& slices, int rank);
  void leave_step(const RankStep& step, std::int64_t next);

  std::unique_ptr<Schedule> schedule_;
  Group& group_;
  std::vector<CpuStream*> streams_;
  std::vector<Position> positions_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<std::vector<Slice>>> buffers_;  ///< the distinct sets of slices seen so far
};

Plan& SharedReducer::plan_for(Range elements) {
  for (const auto& plan : plans_)
    if (plan->elements == elements) return *plan;
  plans_.push_back(std::make_unique<Plan>(
      Plan{elements, compile_programs(*schedule_, elements), std::vector<std::int64_t>(positions_.size())}));
  return *plans_.back();
}

const std::vector<Slice>* SharedReducer::remember(const std::vector<Slice>& slices) {
  const auto same = [](const Slice& a, const Slice& b) {
    return a.data == b.data && a.count == b.count && a.dtype == b.dtype;
  };
  for (const auto& seen : buffers_)
    if (std::equal(seen->begin(), seen->end(), slices.begin(), same)) return seen.get();
  require_one_summable_type(slices);
  buffers_.push_back(std::make_unique<std::vector<Slice>>(slices));
  return buffers_.back().get();
}

std::vector<Event> SharedReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                            const std::vector<Event>& ready) {
  const std::vector<Slice>* buffers = remember(slices);
  Plan* plan = &plan_for(elements);
  std::vector<Event> done(streams_.size());
  for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
    for (const Event& event : ready)
      streams_[rank]->wait(event);  // asleep, before anyone spins for this rank
    done[rank] =
        streams_[rank]->run_together([this, plan, buffers, rank] { run(*plan, *buffers, int(rank)); });
  }
  return done;
}

void SharedReducer::run(Plan& plan, const std::vector<Slice>& slices, int rank) {
  Position& own = positions_[std::size_t(rank)];
  const auto& steps = plan.programs.steps[std::size_t(rank)];
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::int64_t step = own.base + std::int64_t(s) + 1;
    own.entered.store(step, std::memory_order_release);
    for (const RankAction& action : steps[s].actions) {
      for (int peer : action.peers) wait_until(positions_[std::size_t(peer)].entered, step);
      carry_out(action, slices, rank);
    }
    own.finished.store(step, std::memory_order_release);
    for (int other : steps[s].touched_by) wait_until(positions_[std::size_t(other)].finished, step);
  }
  own.base += std::int64_t(steps.size());
  ++plan.runs[std::size_t(rank)];
}

LinkElements SharedReducer::elements_carried() const {
  LinkElements carried;
  for (const auto& plan : plans_)
    for (std::size_t rank = 0; rank < positions_.size(); ++rank)
      for (const RankStep& step : plan->programs.steps[rank])
        for (const RankAction& action : step.actions)
          for (int peer : action.peers) {
            const std::int64_t elements = plan->runs[rank] * std::int64_t(action.elements.count);
            if (elements == 0) continue;
            carried[{peer, int(rank)}] += elements;
            if (action.kind == RankAction::add_to_all) carried[{int(rank), peer}] += elements;
          }
  return carried;
}

}  // namespace

std::unique_ptr<Reducer> make_shared_reducer(std::unique_ptr<Schedule> schedule, Group& group) {
  return std::make_unique<SharedReducer>(std::move(schedule), group);
}

}  // namespace dpx
