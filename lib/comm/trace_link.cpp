#include "lib/comm/trace_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dpx {

TraceLink::TraceLink(int world_size, int num_chunks)
    : world_size_(world_size),
      num_chunks_(num_chunks),
      cells_(std::size_t(world_size) * std::size_t(num_chunks), Cell(std::size_t(world_size), 0)) {
  for (int rank = 0; rank < world_size; ++rank)
    for (int chunk = 0; chunk < num_chunks; ++chunk) cell(rank, chunk)[std::size_t(rank)] = 1;
  at_step_begin_ = cells_;
}

void TraceLink::transfer(const Transfer& t, Range elements) {
  const auto inside = [](int value, int end) { return value >= 0 && value < end; };
  if (!inside(t.src, world_size_) || !inside(t.dst, world_size_) || t.src == t.dst || t.num_chunks < 1 ||
      !inside(t.first_chunk, num_chunks_) || t.first_chunk + t.num_chunks > num_chunks_) {
    violations_.push_back(fmt::format("step {}: transfer {} -> {} of chunks {}+{} is out of range", step_,
                                      t.src, t.dst, t.first_chunk, t.num_chunks));
    return;
  }
  for (int chunk = t.first_chunk; chunk < t.first_chunk + t.num_chunks; ++chunk) {
    read_.insert({t.src, chunk});
    const bool rewritten = !written_.insert({t.dst, chunk}).second;
    if (t.op == Op::copy && rewritten)
      violations_.push_back(
          fmt::format("step {}: rank {} chunk {} is overwritten twice", step_, t.dst, chunk));
    const Cell& source = at_step_begin_[std::size_t(t.src * num_chunks_ + chunk)];
    Cell& target = cell(t.dst, chunk);
    for (std::size_t s = 0; s < target.size(); ++s)
      target[s] = source[s] + (t.op == Op::accumulate ? target[s] : 0);
  }
  Traffic& link = traffic_[{t.src, t.dst}];
  ++link.messages;
  link.elements += std::int64_t(elements.count);
}

void TraceLink::end_step() {
  for (const auto& [rank, chunk] : read_)
    if (written_.contains({rank, chunk}))
      violations_.push_back(
          fmt::format("step {}: rank {} chunk {} is both read and written", step_, rank, chunk));
  read_.clear();
  written_.clear();
  at_step_begin_ = cells_;
  ++step_;
}

int TraceLink::contributions(int rank, int chunk) const {
  const Cell& held = cell(rank, chunk);
  return std::accumulate(held.begin(), held.end(), 0);
}

bool TraceLink::complete(int chunk) const {
  for (int rank = 0; rank < world_size_; ++rank)
    if (const Cell& held = cell(rank, chunk);
        std::any_of(held.begin(), held.end(), [](int n) { return n != 1; }))
      return false;
  return true;
}

TraceLink::Traffic TraceLink::sent_by(int rank) const {
  Traffic total;
  for (const auto& [link, traffic] : traffic_)
    if (link.first == rank) total = {total.messages + traffic.messages, total.elements + traffic.elements};
  return total;
}

TraceLink::Traffic TraceLink::received_by(int rank) const {
  Traffic total;
  for (const auto& [link, traffic] : traffic_)
    if (link.second == rank) total = {total.messages + traffic.messages, total.elements + traffic.elements};
  return total;
}

}  // namespace dpx
