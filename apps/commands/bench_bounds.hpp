#pragma once
// What the machine allows the rows of dpx allreduce-bench at most, measured over the same buffers and in turn
// with them.
#include <optional>
#include <vector>

#include "apps/commands/bench_rows.hpp"

namespace dpx {

inline constexpr const char *kInPlaceBound = "in-place update", *kDuplexBound = "duplex link";

/// In-place update, copy and add: every rank on its own buffer at the same time, on the comm streams.
std::vector<BenchVariant> bound_variants(Group& group, const std::vector<Slice>& slices);

/// Every rank receives N bytes from the next one and sends N to the one before, all at once, over the
/// devices' transport: for two ranks, both directions of their link.
BenchVariant duplex_variant(Group& group, const std::vector<Slice>& slices);

/// The least time / time.
struct ShareOfBound {
  const char* bound;  ///< in_place: as fast as memory allows `direct`; duplex: as fast as links carry bytes
  double share;
};
/// Empty where none of `all` bounds an allreduce of `bytes`.
std::optional<ShareOfBound> share_of_bound(const std::vector<BenchVariant>& all, int gpus, std::int64_t bytes,
                                           double time_s);

}  // namespace dpx
