#include "tests/fake_cuda/runtime/scheduler.hpp"

#include <algorithm>

#include "tests/fake_cuda/runtime/graph.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {

Scheduler::Scheduler() : gpus(settings().gpus.size()), random_(settings().seed) {}

Stream* Scheduler::create_stream(int device) {
  auto stream = std::make_unique<Stream>();
  stream->device = device;
  stream->id = static_cast<int>(streams_.size());
  streams_.push_back(std::move(stream));
  return streams_.back().get();
}

void Scheduler::destroy_stream(Stream* stream) {
  drain(*stream);
  stream->alive = false;
}

bool Scheduler::alive(const Stream* stream) const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [&](const auto& known) { return known.get() == stream && known->alive; });
}

void Scheduler::issue(Stream& stream, Operation operation) {
  if (stream.capture) {
    stream.capture->add(stream, std::move(operation));
    return;
  }
  stream.clock.join(host);
  for (const PointRef& wait : operation.waits) stream.clock.join(wait->clock);
  if (operation.launch) stream.clock.join(operation.launch->last_launch);
  stream.clock.set(stream.id, ++stream.issued);
  operation.issued = std::make_shared<Issued>(
      Issued{.name = operation.name, .stream = stream.id, .number = stream.issued, .clock = stream.clock});
  if (operation.records) operation.records->clock = stream.clock;
  if (operation.launch) operation.launch->issue(operation, stream.clock);
  if (settings().races)
    for (const Touched& touched : operation.launch ? operation.launch->touched : operation.touched)
      if (memory().is_pinned(touched.begin))
        if (const auto block = memory().block_of(touched.begin)) memory().guard(*block);
  stream.queue.push_back(std::move(operation));
  tick();
}

bool Scheduler::ready(const Operation& operation) {
  return std::all_of(operation.waits.begin(), operation.waits.end(),
                     [](const PointRef& wait) { return wait->reached; });
}

Stream& Scheduler::stream_of(const Point& point) {
  return *streams_[static_cast<std::size_t>(point.stream)];
}

void Scheduler::step(Stream& stream) {
  Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  double start = stream.time_s;
  for (const PointRef& wait : operation.waits) start = std::max(start, wait->time_s);
  stream.time_s = run(operation, start);
}

void Scheduler::drain(Stream& stream, const Point* until) {
  while (!stream.queue.empty() && !(until && until->reached))
    if (!progress(stream))
      stop("deadlock: the host waits for " + stream.queue.front().name + ", which never ends");
}

void Scheduler::synchronize(Stream& stream) {
  drain(stream);
  host.join(stream.clock);
}

void Scheduler::synchronize_device(int device) {
  for (const auto& stream : streams_)
    if (stream->device == device) synchronize(*stream);
}

void Scheduler::synchronize_point(const Point& point) {
  drain(stream_of(point), &point);
  host.join(point.clock);
}

void Scheduler::tick() {
  if (settings().policy == Policy::lazy || running().operation) return;
  if (settings().policy == Policy::eager) {
    for (std::size_t i = 0; i < streams_.size(); ++i)
      while (progress(*streams_[i])) continue;
    return;
  }
  for (std::uint64_t attempts = random_() % 4; attempts > 0; --attempts) {
    Stream& stream = *streams_[random_() % streams_.size()];
    if (!stream.queue.empty() && ready(stream.queue.front())) step(stream);
  }
}

bool Scheduler::progress(Stream& stream) {
  Stream* needed = &stream;
  while (!needed->queue.empty()) {
    const Point* first = nullptr;
    for (const PointRef& wait : needed->queue.front().waits)
      if (!wait->reached) first = wait.get();
    if (!first) {
      step(*needed);
      return true;
    }
    if (first->stream < 0) return false;  // a collective that hangs
    needed = &stream_of(*first);
  }
  return false;
}

void Scheduler::check_host_against_queues(std::uintptr_t begin, std::size_t bytes, bool write) const {
  for (const auto& stream : streams_)
    for (const Operation& operation : stream->queue)
      for (const Touched& touched : operation.launch ? operation.launch->touched : operation.touched) {
        const auto first = reinterpret_cast<std::uintptr_t>(touched.begin);
        if (first >= begin + bytes || first + touched.bytes <= begin || !(write || touched.write)) continue;
        report("RACE in " + memory().describe(reinterpret_cast<void*>(std::max(first, begin))) + ": " +
               (write ? "write" : "read") + " by host code is not ordered after the " +
               (touched.write ? "write" : "read") + " by " + operation.name);
      }
}

Scheduler& scheduler() {
  static Scheduler* instance = new Scheduler;  // outlives static destructors that still call the API
  return *instance;
}

Running& running() {
  static Running instance;
  return instance;
}

Session::Session() : lock_(scheduler().mutex) {}

Session::~Session() {
  if (running().operation) return;
  memory().close_except(0);
  memory().restore_guards();
}

}  // namespace fake
