#include "lib/measure/link_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace dpx {
namespace {

std::vector<CopyPath> first_bytes(std::vector<CopyPath> paths, std::size_t bytes) {
  for (CopyPath& path : paths)
    for (Slice* slice : {&path.dst, &path.src}) *slice = slice->sub({0, bytes / size_of(slice->dtype)});
  return paths;
}

std::string difference(const std::vector<std::uint8_t>& sent, const std::vector<std::uint8_t>& found) {
  const auto differs = std::mismatch(sent.begin(), sent.end(), found.begin());
  if (differs.first == sent.end()) return "";
  return fmt::format("byte {} is {}, not {}", differs.first - sent.begin(), *differs.second, *differs.first);
}

}  // namespace

void copy_by_streams(const std::vector<CopyPath>& paths) {
  for (const CopyPath& path : paths) path.stream->copy(path.dst, path.src);
}

std::vector<double> copy_times_s(Group& group, const std::vector<CopyPath>& paths, std::size_t bytes,
                                 int chain, int samples, const CopyAll& copy) {
  const std::vector<CopyPath> parts = first_bytes(paths, bytes);
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    group.synchronize();
    std::vector<Event> begin, end;
    for (const CopyPath& path : parts) begin.push_back(path.stream->record());
    for (int i = 0; i < chain; ++i) copy(parts);
    for (const CopyPath& path : parts) end.push_back(path.stream->record());
    group.synchronize();
    double longest = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      longest = std::max(longest, end[i]->elapsed_s_since(*begin[i]));
    times.push_back(longest / chain);
  }
  return times;
}

std::vector<std::string> wrong_bytes(Group& group, const std::vector<CopyPath>& paths, const CopyAll& copy) {
  std::vector<std::vector<std::uint8_t>> sent, found;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    sent.emplace_back(paths[p].src.bytes());
    found.emplace_back(paths[p].dst.bytes());
    for (std::size_t i = 0; i < sent[p].size(); ++i) sent[p][i] = std::uint8_t((i + p) * 2654435761u >> 13);
    paths[p].sender->copy(paths[p].src, {sent[p].data(), paths[p].src.count, paths[p].src.dtype});
  }
  group.synchronize();
  copy(paths);
  group.synchronize();
  std::vector<std::string> wrong;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    paths[p].stream->copy({found[p].data(), paths[p].dst.count, paths[p].dst.dtype}, paths[p].dst);
    group.synchronize();
    wrong.push_back(difference(sent[p], found[p]));
  }
  return wrong;
}

}  // namespace dpx
