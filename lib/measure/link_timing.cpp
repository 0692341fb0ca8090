#include "lib/measure/link_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace dpx {
namespace {

Slice first_bytes(const Slice& slice, std::size_t bytes) {
  return slice.sub({0, bytes / size_of(slice.dtype)});
}

}  // namespace

std::vector<double> copy_times_s(Group& group, const std::vector<CopyPath>& paths, std::size_t bytes,
                                 int chain, int samples) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    group.synchronize();
    std::vector<Event> begin, end;
    for (const CopyPath& path : paths) begin.push_back(path.stream->record());
    for (int i = 0; i < chain; ++i)
      for (const CopyPath& path : paths)
        path.stream->copy(first_bytes(path.dst, bytes), first_bytes(path.src, bytes));
    for (const CopyPath& path : paths) end.push_back(path.stream->record());
    group.synchronize();
    double longest = 0;
    for (std::size_t i = 0; i < paths.size(); ++i)
      longest = std::max(longest, end[i]->elapsed_s_since(*begin[i]));
    times.push_back(longest / chain);
  }
  return times;
}

std::string wrong_bytes(Group& group, const CopyPath& path) {
  std::vector<std::uint8_t> sent(path.src.bytes()), found(path.dst.bytes());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = std::uint8_t(i * 2654435761u >> 13);
  Stream& stream = *path.stream;
  path.sender->copy(path.src, {sent.data(), path.src.count, path.src.dtype});
  group.synchronize();
  stream.copy(path.dst, path.src);
  stream.copy({found.data(), path.dst.count, path.dst.dtype}, path.dst);
  group.synchronize();
  const auto differs = std::mismatch(sent.begin(), sent.end(), found.begin());
  if (differs.first == sent.end()) return "";
  return fmt::format("byte {} is {}, not {}", differs.first - sent.begin(), *differs.second, *differs.first);
}

}  // namespace dpx
