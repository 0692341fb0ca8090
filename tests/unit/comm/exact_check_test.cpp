#include "lib/comm/exact_check.hpp"

#include <gtest/gtest.h>

#include "lib/comm/mixed_reducer.hpp"
#include "lib/core/bf16.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

constexpr std::size_t kLong = 600'001;  // more than two pieces

TEST(ExactInputs, PartialSumsInBf16AreWholeNumbersUpTo256) {
  for (int k = 1; k <= kMaxExactRanks; ++k)
    for (std::size_t i = 0; i < 9000; i += 7) {
      float sum = 0;
      for (int rank = 0; rank < k; ++rank) {
        const float value = exact_input(DType::bf16, k, rank, i);
        ASSERT_GE(value, 1.0f);  // a lost rank always shows
        sum += value;
      }
      ASSERT_LE(sum, float(kMaxExactBf16Sum));
    }
}

TEST(ExactInputs, NoTwoRanksAndNoTwoChunksAreAlikeInBf16) {
  const int k = kMaxExactRanks;
  const auto differences = [&](int rank_a, std::size_t from_a, int rank_b, std::size_t from_b) {
    int different = 0;
    for (std::size_t i = 0; i < 64; ++i)
      different +=
          exact_input(DType::bf16, k, rank_a, from_a + i) != exact_input(DType::bf16, k, rank_b, from_b + i);
    return different;
  };
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < a; ++b) ASSERT_GE(differences(a, 0, b, 0), 20) << a << " " << b;
  for (std::size_t shift : {1, 2, 16, 64, 1024, 4096, 1 << 20})
    EXPECT_GE(differences(5, 0, 5, shift), 20) << shift;
}

TEST(ExactCheck, Bf16SumsAreExactPerHopAndAccumulatedInFp32) {
  for (const int k : {1, 2, 3, 9, 16}) {
    Group group = test::cpu_group(k);
    const auto per_hop = make_reducer("ring", group);
    const auto in_fp32 = make_fp32_accumulating(make_reducer("ring", group), group);
    for (Reducer* reducer : {per_hop.get(), in_fp32.get()}) {
      const SumCheck check = check_sum(*reducer, group, 1003, DType::bf16);
      EXPECT_EQ(check.wrong, 0) << k << ": " << check.first_wrong;
      EXPECT_TRUE(check.identical());
      EXPECT_EQ(check.hashes.size(), std::size_t(k));
    }
  }
}

class ExactCheckTypes : public testing::TestWithParam<DType> {};

// One bit of one element of a later piece; then the caller's buffers are filled again and right again.
TEST_P(ExactCheckTypes, FindsOneWrongBitInALaterPieceOfTheCallersBuffers) {
  Group group = test::cpu_group(2);
  std::vector<Buffer> buffers;
  std::vector<Slice> slices;
  for (int rank = 0; rank < 2; ++rank) {
    buffers.push_back(group.device(rank).allocate(kLong * size_of(GetParam())));
    slices.push_back(buffers.back().slice(GetParam()));
  }
  const auto reducer = make_reducer("direct", group);
  const SumCheck right = check_sum(*reducer, group, slices);
  EXPECT_EQ(right.wrong, 0) << right.first_wrong;
  EXPECT_TRUE(right.identical());
  slices[1].as<char>()[550'000 * size_of(GetParam())] ^= 1;
  const SumCheck spoilt = compare_exact(group, slices);
  EXPECT_EQ(spoilt.wrong, 1);
  EXPECT_TRUE(test::has(spoilt.first_wrong, "rank 1 element 550000 is "));
  EXPECT_FALSE(spoilt.identical());
  EXPECT_EQ(spoilt.hashes[0], right.hashes[0]);
  EXPECT_EQ(check_sum(*reducer, group, slices).hashes, right.hashes);
}

TEST_P(ExactCheckTypes, InputsThatWereNotSummedAreAllWrong) {
  Group group = test::cpu_group(3);
  std::vector<Buffer> buffers;
  std::vector<Slice> slices;
  for (int rank = 0; rank < 3; ++rank) {
    buffers.push_back(group.device(rank).allocate(1000 * size_of(GetParam())));
    slices.push_back(buffers.back().slice(GetParam()));
  }
  fill_exact(group, slices);
  EXPECT_EQ(compare_exact(group, slices).wrong, 3000);
}

TEST_P(ExactCheckTypes, NothingToSumIsRight) {
  Group group = test::cpu_group(2);
  const SumCheck check = check_sum(*make_reducer("ring", group), group, 0, GetParam());
  EXPECT_EQ(check.wrong, 0);
  EXPECT_TRUE(check.identical());
}

INSTANTIATE_TEST_SUITE_P(Types, ExactCheckTypes, testing::Values(DType::f32, DType::bf16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(ExactCheck, RefusesMoreRanksThanItsSumsAreExactFor) {
  Group group = test::cpu_group(1);
  const Buffer buffer = group.device(0).allocate(64);
  const std::vector<Slice> slices(kMaxExactRanks + 1, buffer.slice(DType::bf16));
  EXPECT_TRUE(test::has(test::error_of([&] { fill_exact(group, slices); }), "up to 64 devices, not for 65"));
  const std::vector<Slice> mixed = {buffer.slice(DType::bf16), buffer.slice(DType::f32)};
  test::error_of([&] { compare_exact(group, mixed); }, Exit::internal);
  test::error_of([] { exact_input(DType::u8, 2, 0, 0); }, Exit::internal);
}

}  // namespace
}  // namespace dpx
