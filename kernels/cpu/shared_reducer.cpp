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

/// A number that one rank writes and others may spin on, in a cache line of its own.
template <class T>
struct alignas(64) Apart {
  T value{};
};

/// How far a rank has come, in steps since the reducer was made.
struct Position {
  Apart<std::atomic<std::int64_t>>
      entered;  ///< this step may be read by others: all earlier ones are complete
  Apart<std::atomic<std::int64_t>> finished;  ///< this rank has done its part of all steps below
  Apart<std::int64_t> base;  ///< first step of the current allreduce; this rank's thread only
};

void wait_until(const std::atomic<std::int64_t>& position, std::int64_t step) {
  for (int spins = 0; position.load(std::memory_order_acquire) < step; ++spins) {
    if (spins < 64)
      ;  // the other rank's store is a fraction of a microsecond away: shorter than a pause
    else if (spins < 64 + cpu::kPauses)
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

/// Asks for the peers' part of a small sum before they say that it is there: usually it is, and comes while
/// the flags travel.
void prefetch_small_sum(const RankAction& action, const std::vector<Slice>& slices) {
  constexpr std::size_t kSmall = 8 << 10, kLine = 64;
  const std::size_t element = size_of(slices[0].dtype), bytes = action.elements.count * element;
  if (action.kind == RankAction::copy || bytes * action.peers.size() > kSmall) return;
  for (int peer : action.peers) {
    const char* first =
        static_cast<const char*>(slices[std::size_t(peer)].data) + action.elements.first * element;
    for (std::size_t offset = 0; offset < bytes; offset += kLine) cpu::prefetch_for_writing(first + offset);
  }
}

void require_one_summable_type(const std::vector<Slice>& slices) {
  for (const Slice& slice : slices)
    if (slice.dtype != slices[0].dtype || (slice.dtype != DType::f32 && slice.dtype != DType::bf16))
      throw Error(Exit::internal,
                  fmt::format("allreduce of {} and {} buffers; all fp32 or all bf16 can be summed",
                              name_of(slices[0].dtype), name_of(slice.dtype)));
}

class SharedReducer;

/// A schedule compiled for one run of elements of one set of buffers; made once, run many times.
struct Job {
  SharedReducer* reducer;
  Range elements;
  std::vector<Slice> slices;
  RankPrograms programs;
  std::vector<Apart<std::int64_t>> runs;  ///< per rank, how often it was carried out
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
  Job& job_for(const std::vector<Slice>& slices, Range elements);
  void run(Job& job, int rank);

  std::unique_ptr<Schedule> schedule_;
  Group& group_;
  std::vector<CpuStream*> streams_;
  std::vector<Position> positions_;
  std::vector<std::unique_ptr<Job>> jobs_;
};

Job& SharedReducer::job_for(const std::vector<Slice>& slices, Range elements) {
  const auto same = [](const Slice& a, const Slice& b) {
    return a.data == b.data && a.count == b.count && a.dtype == b.dtype;
  };
  for (const auto& job : jobs_)
    if (job->elements == elements && std::equal(job->slices.begin(), job->slices.end(), slices.begin(), same))
      return *job;
  require_one_summable_type(slices);
  jobs_.push_back(std::make_unique<Job>(Job{this, elements, slices, compile_programs(*schedule_, elements),
                                            std::vector<Apart<std::int64_t>>(slices.size())}));
  return *jobs_.back();
}

std::vector<Event> SharedReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                            const std::vector<Event>& ready) {
  Job& job = job_for(slices, elements);
  const auto carry_out_job = [](void* context, int rank) {
    Job& the_job = *static_cast<Job*>(context);
    the_job.reducer->run(the_job, rank);
  };
  std::vector<Event> done(streams_.size());
  for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
    for (const Event& event : ready)
      streams_[rank]->wait(event);  // asleep, before anyone spins for this rank
    done[rank] = streams_[rank]->run_together(carry_out_job, &job, int(rank));
  }
  return done;
}

void SharedReducer::run(Job& job, int rank) {
  Position& own = positions_[std::size_t(rank)];
  cpu::prefetch_for_writing(&own.finished);  // the others still have it, from the last allreduce
  const auto& steps = job.programs.steps[std::size_t(rank)];
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::int64_t step = own.base.value + std::int64_t(s) + 1;
    own.entered.value.store(step, std::memory_order_release);
    for (const RankAction& action : steps[s].actions) {
      prefetch_small_sum(action, job.slices);
      for (int peer : action.peers) wait_until(positions_[std::size_t(peer)].entered.value, step);
      carry_out(action, job.slices, rank);
    }
    own.finished.value.store(step, std::memory_order_release);
    for (int other : steps[s].touched_by) wait_until(positions_[std::size_t(other)].finished.value, step);
  }
  own.base.value += std::int64_t(steps.size());
  ++job.runs[std::size_t(rank)].value;
}

LinkElements SharedReducer::elements_carried() const {
  LinkElements carried;
  for (const auto& job : jobs_)
    for (std::size_t rank = 0; rank < positions_.size(); ++rank)
      for (const RankStep& step : job->programs.steps[rank])
        for (const RankAction& action : step.actions)
          for (int peer : action.peers) {
            const std::int64_t elements = job->runs[rank].value * std::int64_t(action.elements.count);
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
