#pragma once
// One allreduce on the devices with inputs whose sum is exact in fp32, every element of every rank compared.
#include <cstdint>
#include <string>
#include <vector>

#include "lib/comm/reducer.hpp"

namespace dpx {

struct SumCheck {
  std::int64_t wrong = 0;             ///< elements that differ from the sum, all ranks together
  std::string first_wrong;            ///< "rank 1 element 7 is 3, not 6"; empty when none is
  std::vector<std::uint64_t> hashes;  ///< per rank, of the bits of the result
  bool identical() const;             ///< all ranks hold the same bits
};

/// World sizes up to this have exact sums.
inline constexpr int kMaxExactRanks = 64;

/// Element `index` of rank `rank`'s input: a whole number that differs by rank and index.
float exact_input(int rank, std::size_t index);

/// Fills, reduces and compares `count` elements. Errors: what the devices throw.
SumCheck check_sum(Reducer& reducer, Group& group, std::size_t count);

}  // namespace dpx
