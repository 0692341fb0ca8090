#include "apps/commands/bench_bounds.hpp"

namespace dpx {
namespace {

/// `pass` on every rank's comm stream, then an event.
CollectiveOperation on_every_rank(Group& group, std::function<void(Stream&, int rank)> pass) {
  return [&group, pass = std::move(pass)](const std::vector<Event>& ready) {
    std::vector<Event> done;
    for (int rank = 0; rank < group.size(); ++rank) {
      Stream& stream = group.device(rank).comm();
      stream.wait(ready[std::size_t(rank)]);
      pass(stream, rank);
      done.push_back(stream.record());
    }
    return done;
  };
}

}  // namespace

std::vector<BenchVariant> bound_variants(Group& group, const std::vector<Slice>& slices) {
  const auto half = [&slices](int rank, int which) {
    const Slice whole = as_fp32(slices[std::size_t(rank)]);
    const std::size_t count = whole.count / 2;
    return whole.sub({std::size_t(which) * count, count});
  };
  std::vector<BenchVariant> bounds(3);
  bounds[0].name = kInPlaceBound;  // k buffers read and written once: what `direct` must move, too
  bounds[0].bytes_moved_per_byte = 2;
  bounds[0].operation = on_every_rank(
      group, [&slices](Stream& stream, int rank) { stream.scale(as_fp32(slices[std::size_t(rank)]), 0.0f); });
  bounds[1].name = "copy";
  bounds[1].bytes_moved_per_byte = 1;  // half a buffer read, half written
  bounds[1].operation =
      on_every_rank(group, [half](Stream& stream, int rank) { stream.copy(half(rank, 1), half(rank, 0)); });
  bounds[2].name = "add";
  bounds[2].bytes_moved_per_byte = 1.5;
  bounds[2].operation =
      on_every_rank(group, [half](Stream& stream, int rank) { stream.add(half(rank, 1), half(rank, 0)); });
  return bounds;
}

BenchVariant duplex_variant(Group& group, const std::vector<Slice>& slices) {
  BenchVariant bound;
  bound.name = kDuplexBound;
  bound.bytes_each_way_per_byte = 1;
  bound.operation = on_every_rank(group, [&group, &slices](Stream& stream, int rank) {
    const Slice own = as_fp32(slices[std::size_t(rank)]),
                next = as_fp32(slices[std::size_t((rank + 1) % group.size())]);
    const std::size_t half = own.count / 2;  // read from the first half, written to the second: no race
    for (int i = 0; i < 2; ++i) stream.copy(own.sub({half, half}), next.sub({0, half}));
  });
  return bound;
}

std::optional<ShareOfBound> share_of_bound(const std::vector<BenchVariant>& all, int gpus, std::int64_t bytes,
                                           double time_s) {
  constexpr std::int64_t kTwoElements = 8;
  if (gpus < 2 || bytes == 0) return {};
  for (const BenchVariant& bound : all) {
    if (bound.name == kInPlaceBound)
      return ShareOfBound{"in_place", summarize(bound.fresh_s).median / time_s};
    // What each rank must send and receive, whatever the algorithm: 2 (k-1)/k N.
    if (bound.name == kDuplexBound && bytes >= kTwoElements)
      return ShareOfBound{"duplex", 2.0 * (gpus - 1) / gpus * summarize(bound.fresh_s).median / time_s};
  }
  return {};
}

}  // namespace dpx
