#pragma once
// Half-open runs of elements, and the one way dpx cuts a run into near-equal parts.
#include <cstddef>

namespace dpx {

/// `count` elements from `first`; empty runs are allowed.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t end() const { return first + count; }
  bool operator==(const Range&) const = default;
};

/// Part `index` of `whole` cut into `parts` runs whose sizes differ by at most one, larger ones first:
/// 10 elements in 4 parts are 3, 3, 2, 2. Parts are empty when there are fewer elements than parts.
constexpr Range part_of(Range whole, std::size_t parts, std::size_t index) {
  const std::size_t base = whole.count / parts, extra = whole.count % parts;
  const std::size_t first = index * base + (index < extra ? index : extra);
  return {whole.first + first, base + (index < extra ? 1 : 0)};
}

/// Parts [index, index + run) of `whole` as one run.
constexpr Range parts_of(Range whole, std::size_t parts, std::size_t index, std::size_t run) {
  const Range a = part_of(whole, parts, index);
  if (run == 0) return {a.first, 0};
  return {a.first, part_of(whole, parts, index + run - 1).end() - a.first};
}

}  // namespace dpx
