#pragma once
// One allreduce on the devices with inputs whose sum is exact in the buffers' type, whatever the order of the
// additions; every element of every rank compared.
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

/// World sizes up to this have exact sums, in fp32 and in bf16.
inline constexpr int kMaxExactRanks = 64;
/// No sum over the ranks, whole or partial, of bf16 inputs is larger: whole numbers up to this are exact.
inline constexpr int kMaxExactBf16Sum = 256;

/// Element `index` of rank `rank`'s input: a whole number from 1 that differs by rank and index. In bf16 it
/// is at most 256 / world_size. Errors: Exit::internal for other types.
float exact_input(DType dtype, int world_size, int rank, std::size_t index);

/// Fills each rank's slice, any length, with its exact_input; all slices fp32 or all bf16.
/// Units: host memory of about 1 MiB, whatever the length.
/// Errors: Exit::usage for more than kMaxExactRanks; what the devices throw.
void fill_exact(Group& group, const std::vector<Slice>& slices);

/// Compares every element of every rank with the sum of what fill_exact wrote.
/// Units: host memory of about 2 MiB, whatever the length. Errors: as fill_exact.
SumCheck compare_exact(Group& group, const std::vector<Slice>& slices);

/// Fills, reduces and compares the caller's buffers. Errors: as fill_exact.
SumCheck check_sum(Reducer& reducer, Group& group, const std::vector<Slice>& slices);

/// The same with `count` elements per rank in buffers of its own.
SumCheck check_sum(Reducer& reducer, Group& group, std::size_t count, DType dtype = DType::f32);

}  // namespace dpx
