#include "lib/comm/exact_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "lib/core/bf16.hpp"
#include "lib/core/error.hpp"
#include "lib/core/hash.hpp"

namespace dpx {
namespace {

constexpr std::size_t kPeriod = 8059;  // prime: no chunk of a usual size repeats another
static_assert(kMaxExactRanks * (kMaxExactRanks + 1) / 2 * kPeriod < std::size_t(1) << 24,
              "sums stay exact in fp32");
static_assert(kMaxExactBf16Sum / kMaxExactRanks >= 4, "bf16 inputs still differ by rank and index");

// Whole periods, so that every piece of a buffer holds the same values: 1 MiB of fp32.
constexpr std::size_t kPiece = 32 * kPeriod;

// Scatters (rank, place) over 32 bits, so that no two ranks have equal inputs.
std::uint32_t scattered(int rank, std::size_t place) {
  std::uint32_t x = std::uint32_t(place) * 64 + std::uint32_t(rank) + 1;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

float exact_sum(DType dtype, int world_size, std::size_t index) {
  float sum = 0;
  for (int rank = 0; rank < world_size; ++rank) sum += exact_input(dtype, world_size, rank, index);
  return sum;
}

template <class T>
T element(float value);
template <>
float element<float>(float value) {
  return value;
}
template <>
Bf16 element<Bf16>(float value) {
  return to_bf16(value);
}
float value_of(float x) {
  return x;
}
float value_of(Bf16 x) {
  return to_float(x);
}

/// The first piece of a buffer of `count` elements whose element i is value(i).
template <class T, class Value>
std::vector<T> piece_of(std::size_t count, const Value& value) {
  std::vector<T> piece(std::min(count, kPiece));
  for (std::size_t i = 0; i < piece.size(); ++i)
    piece[i] = i < kPeriod ? element<T>(value(i)) : piece[i - kPeriod];
  return piece;
}

/// Calls body(range) for the pieces of `count` elements in order.
template <class Body>
void for_pieces(std::size_t count, const Body& body) {
  for (std::size_t first = 0; first < count; first += kPiece)
    body(Range{first, std::min(kPiece, count - first)});
}

template <class T>
void fill(Group& group, const std::vector<Slice>& slices) {
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    const Slice& slice = slices[rank];
    Stream& stream = group.device(int(rank)).compute();
    std::vector<T> piece = piece_of<T>(slice.count, [&](std::size_t i) {
      return exact_input(slice.dtype, int(slices.size()), int(rank), i);
    });
    for_pieces(slice.count, [&](Range range) {
      stream.copy(slice.sub(range), {piece.data(), range.count, slice.dtype});
    });
    stream.synchronize();
  }
}

/// For a piece whose bits differ; `range` is where it lies in rank `rank`'s buffer.
template <class T>
void compare_each(const std::vector<T>& found, const std::vector<T>& expected, std::size_t rank, Range range,
                  SumCheck& check) {
  for (std::size_t i = 0; i < range.count; ++i)
    if (!(found[i] == expected[i]) && check.wrong++ == 0)
      check.first_wrong = fmt::format("rank {} element {} is {}, not {}", rank, range.first + i,
                                      value_of(found[i]), value_of(expected[i]));
}

template <class T>
void compare(Group& group, const std::vector<Slice>& slices, SumCheck& check) {
  const auto sum = [&](std::size_t i) { return exact_sum(slices[0].dtype, int(slices.size()), i); };
  const std::vector<T> expected = piece_of<T>(slices[0].count, sum);
  std::vector<T> found(expected.size());
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    Stream& stream = group.device(int(rank)).compute();
    std::uint64_t hash = kEmptyHash;
    for_pieces(slices[rank].count, [&](Range range) {
      std::fill(found.begin(), found.end(), element<T>(-1));  // no sum: a copy that does nothing shows
      stream.copy({found.data(), range.count, slices[rank].dtype}, slices[rank].sub(range));
      stream.synchronize();
      if (std::memcmp(found.data(), expected.data(), range.count * sizeof(T)) != 0)
        compare_each(found, expected, rank, range, check);
      hash = hash_bits(std::span<const T>(found.data(), range.count), hash);
    });
    check.hashes.push_back(hash);
  }
}

/// Errors: see fill_exact.
void require_exact(const std::vector<Slice>& slices) {
  if (slices.size() > std::size_t(kMaxExactRanks))
    throw Error(Exit::usage, fmt::format("exact sums are known for up to {} devices, not for {}",
                                         kMaxExactRanks, slices.size()));
  for (const Slice& slice : slices)
    if (slice.dtype != slices[0].dtype || slice.count != slices[0].count)
      throw Error(Exit::internal, "exact sums of buffers of different types or lengths");
}

}  // namespace

float exact_input(DType dtype, int world_size, int rank, std::size_t index) {
  const std::size_t place = index % kPeriod;
  if (dtype == DType::f32) return float(rank + 1) * float(place + 1);
  if (dtype == DType::bf16)
    return float(1 + scattered(rank, place) % std::uint32_t(kMaxExactBf16Sum / world_size));
  throw Error(Exit::internal, fmt::format("no exact inputs of type {}", name_of(dtype)));
}

bool SumCheck::identical() const {
  return std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return hash == hashes[0]; });
}

void fill_exact(Group& group, const std::vector<Slice>& slices) {
  require_exact(slices);
  if (slices[0].dtype == DType::bf16) return fill<Bf16>(group, slices);
  fill<float>(group, slices);
}

SumCheck compare_exact(Group& group, const std::vector<Slice>& slices) {
  require_exact(slices);
  SumCheck check;
  if (slices[0].dtype == DType::bf16)
    compare<Bf16>(group, slices, check);
  else
    compare<float>(group, slices, check);
  return check;
}

SumCheck check_sum(Reducer& reducer, Group& group, const std::vector<Slice>& slices) {
  fill_exact(group, slices);
  reducer.allreduce(slices, {0, slices[0].count}, std::vector<Event>(slices.size()));
  group.synchronize();
  return compare_exact(group, slices);
}

SumCheck check_sum(Reducer& reducer, Group& group, std::size_t count, DType dtype) {
  struct Buffers {  // the devices come to rest before they go
    Group& group;
    std::vector<Buffer> owned;
    ~Buffers() { group.drain(); }
  } buffers{group, {}};
  std::vector<Slice> slices;
  for (int rank = 0; rank < group.size(); ++rank) {
    buffers.owned.push_back(group.device(rank).allocate(count * size_of(dtype)));
    slices.push_back(buffers.owned.back().slice(dtype));
  }
  return check_sum(reducer, group, slices);
}

}  // namespace dpx
