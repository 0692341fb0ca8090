#include "lib/measure/collective_timing.hpp"

#include <algorithm>
#include <chrono>

namespace dpx {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void wait_for(const std::vector<Event>& events) {
  for (const Event& event : events) event->synchronize();
}

double latest_s(const std::vector<Event>& events, const EventState& origin) {
  double latest = events[0]->elapsed_s_since(origin);
  for (const Event& event : events) latest = std::max(latest, event->elapsed_s_since(origin));
  return latest;
}

}  // namespace

Event CollectiveTimer::all_wait_for_all(int rank, const std::vector<Event>& events) {
  Stream& stream = group_.device(rank).comm();
  for (const Event& event : events) stream.wait(event);
  return stream.record();
}

/// Leaves the compute streams asleep; awake they could share a core with what is timed.
void CollectiveTimer::finish_comm() {
  for (int rank = 0; rank < group_.size(); ++rank) group_.device(rank).comm().synchronize();
}

std::vector<double> CollectiveTimer::fresh_s(const CollectiveOperation& operation, int samples) {
  struct Sample {
    std::vector<Event> begin, end;
  };
  const std::vector<Event> at_once(std::size_t(group_.size()));
  std::vector<Sample> taken;
  for (int i = 0; i < samples; ++i) {
    std::vector<Event> filled;
    for (int rank = 0; rank < group_.size(); ++rank) {
      group_.device(rank).comm().scale(as_fp32(slices_[std::size_t(rank)]), 0.0f);
      filled.push_back(group_.device(rank).comm().record());
    }
    Sample sample;
    for (int rank = 0; rank < group_.size(); ++rank) sample.begin.push_back(all_wait_for_all(rank, filled));
    sample.end =
        operation(at_once);  // the comm streams' own order starts it behind `begin`, without another wake-up
    taken.push_back(std::move(sample));
    wait_for(taken.back().end);  // enqueueing the next sample must not take a core from this one
  }
  std::vector<double> times;
  for (const Sample& sample : taken) {
    const EventState& origin = *sample.begin[0];
    times.push_back(latest_s(sample.end, origin) - latest_s(sample.begin, origin));
  }
  return times;
}

double CollectiveTimer::back_to_back_s(const CollectiveOperation& operation, int count) {
  finish_comm();
  const std::vector<Event> at_once(std::size_t(group_.size()));
  const auto start = std::chrono::steady_clock::now();
  std::vector<Event> last;
  for (int i = 0; i < count; ++i) last = operation(at_once);
  wait_for(last);
  return seconds_since(start) / count;
}

double CollectiveTimer::one_shot_s(const CollectiveOperation& operation) {
  finish_comm();
  const std::vector<Event> at_once(std::size_t(group_.size()));
  const auto start = std::chrono::steady_clock::now();
  wait_for(operation(at_once));
  return seconds_since(start);
}

}  // namespace dpx
