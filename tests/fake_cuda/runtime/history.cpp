#include "tests/fake_cuda/runtime/history.hpp"

#include <algorithm>

#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

namespace fake {
namespace {

void race(const char* verb, const std::string& who, const char* noun, const Issued& earlier,
          std::uintptr_t at) {
  report("RACE in " + memory().describe(reinterpret_cast<void*>(at)) + ": " + verb + " by " + who +
         " is not ordered after the " + noun + " by " + earlier.name);
}

bool known(const Clock& host, const IssuedRef& earlier) {
  return host.covers(earlier->stream, earlier->number);
}

}  // namespace

void History::split_at(std::uintptr_t address) {
  auto next = segments_.upper_bound(address);
  if (next == segments_.begin()) return;
  auto holder = std::prev(next);
  if (holder->first == address || holder->second.end <= address) return;
  Segment tail = holder->second;
  holder->second.end = address;
  segments_.emplace_hint(next, address, std::move(tail));
}

void History::read(Segment& segment, const IssuedRef& who) {
  std::erase_if(segment.readers, [&](const IssuedRef& reader) { return ordered(*reader, *who); });
  segment.readers.push_back(who);
}

void History::access(const Touched& touched, const IssuedRef& who) {
  if (!touched.bytes) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(touched.begin), end = begin + touched.bytes;
  split_at(begin);
  split_at(end);
  auto first = segments_.lower_bound(begin), last = segments_.lower_bound(end);
  for (auto it = first; it != last; ++it) {
    const Segment& earlier = it->second;
    if (earlier.writer && !ordered(*earlier.writer, *who))
      race(touched.write ? "write" : "read", who->name, "write", *earlier.writer, it->first);
    for (const IssuedRef& reader : earlier.readers)
      if (touched.write && !ordered(*reader, *who)) race("write", who->name, "read", *reader, it->first);
  }
  if (touched.write) {
    segments_.emplace_hint(segments_.erase(first, last), begin, Segment{end, who, {}});
    return;
  }
  for (std::uintptr_t at = begin; at < end;) {  // gaps become segments without a writer
    auto it = segments_.lower_bound(at);
    const std::uintptr_t until = it == segments_.end() ? end : std::min(it->first, end);
    if (at < until) it = segments_.emplace_hint(it, at, Segment{until, nullptr, {}});
    read(it->second, who);
    at = it->second.end;
  }
}

void History::host_access(std::uintptr_t begin, std::size_t bytes, bool write, const Clock& host) const {
  auto it = segments_.upper_bound(begin);
  if (it != segments_.begin()) --it;
  for (; it != segments_.end() && it->first < begin + bytes; ++it) {
    const Segment& earlier = it->second;
    if (earlier.end <= begin) continue;
    if (earlier.writer && !known(host, earlier.writer))
      race(write ? "write" : "read", "host code", "write", *earlier.writer, std::max(begin, it->first));
    for (const IssuedRef& reader : earlier.readers)
      if (write && !known(host, reader))
        race("write", "host code", "read", *reader, std::max(begin, it->first));
  }
}

void History::forget(std::uintptr_t begin, std::size_t bytes) {
  split_at(begin);
  split_at(begin + bytes);
  segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(begin + bytes));
}

History& history() {
  static History instance;
  return instance;
}

}  // namespace fake
