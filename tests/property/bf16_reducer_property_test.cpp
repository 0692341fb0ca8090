// Every algorithm on bf16 buffers of CPU devices, rounded per hop or accumulated in fp32: exact sums right,
// all ranks and both transports bit-identical where sums round, work back to back in order.
#include <gtest/gtest.h>

#include "lib/comm/exact_check.hpp"
#include "lib/comm/mixed_reducer.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/core/hash.hpp"
#include "tests/support/algorithm_parameters.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

/// Whole numbers of both signs up to 100,000: bf16 sums of them round.
std::vector<float> rounding_input(int rank, std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t seed = std::uint32_t(rank) * 2654435761u + 1;
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(seed >> 8) / 83.88608f - 100'000.0f;
  }
  return values;
}

std::vector<std::vector<float>> rounding_inputs(int k, std::size_t count) {
  std::vector<std::vector<float>> inputs;
  for (int rank = 0; rank < k; ++rank) inputs.push_back(rounding_input(rank, count));
  return inputs;
}

class EveryBf16Reducer : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  /// As streams and events, and on shared memory.
  static std::vector<std::unique_ptr<Reducer>> per_hop(Group& group) {
    std::vector<std::unique_ptr<Reducer>> all;
    all.push_back(make_reducer(std::get<0>(GetParam()), group));
    all.push_back(make_backend("cpu")->make_reducer(std::get<0>(GetParam()), group));
    return all;
  }
  static std::vector<std::unique_ptr<Reducer>> in_fp32(Group& group) {
    std::vector<std::unique_ptr<Reducer>> all;
    for (auto& reducer : per_hop(group)) all.push_back(make_fp32_accumulating(std::move(reducer), group));
    return all;
  }
};

TEST_P(EveryBf16Reducer, ExactSumsAreRightOnEveryRank) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  for (auto make : {per_hop, in_fp32})
    for (const auto& reducer : make(group)) {
      std::int64_t total = 0, carried = 0;
      for (std::size_t count : {0, 1, k - 1, k, k + 1, 1000, 70001}) {
        const SumCheck check = check_sum(*reducer, group, count, DType::bf16);
        EXPECT_EQ(check.wrong, 0) << reducer->transport() << " " << count << ": " << check.first_wrong;
        EXPECT_TRUE(check.identical()) << reducer->transport() << " " << count;
        total += 2 * (k - 1) * std::int64_t(count);
      }
      for (const auto& [link, elements] : reducer->elements_carried()) carried += elements;
      EXPECT_EQ(carried, total) << reducer->transport();
    }
}

TEST_P(EveryBf16Reducer, EveryRankAndTransportHasTheSameBitsWhenSumsRound) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  for (auto make : {per_hop, in_fp32}) {
    std::vector<std::uint64_t> hashes;
    for (const auto& reducer : make(group)) {
      test::RankBuffers buffers(group, rounding_inputs(k, 1001), DType::bf16);
      reducer->allreduce(buffers.slices(), {0, 1001}, std::vector<Event>(std::size_t(k)));
      group.synchronize();
      for (int rank = 0; rank < k; ++rank) hashes.push_back(hash_bits(buffers.read(rank)));
    }
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes.front());
  }
}

// [0, 333) twice and [400, 1000) once, each starting at the events of the one before.
TEST_P(EveryBf16Reducer, ThreeInARowOverPartsOfABuffer) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  const auto own = [](int rank) { return rank == 0 ? 2.0f : 1.0f; };
  const float sum = float(k + 1);  // and k * sum is at most 90: exact
  std::vector<std::vector<float>> inputs;
  for (int rank = 0; rank < k; ++rank) inputs.push_back(std::vector<float>(1000, own(rank)));
  for (auto make : {per_hop, in_fp32})
    for (const auto& reducer : make(group)) {
      test::RankBuffers buffers(group, inputs, DType::bf16);
      std::vector<Event> ready(std::size_t(k), nullptr);
      for (const Range part : {Range{0, 333}, Range{0, 333}, Range{400, 600}})
        ready = reducer->allreduce(buffers.slices(), part, ready);
      for (int rank = 0; rank < k; ++rank) {
        group.device(rank).compute().wait(ready[std::size_t(rank)]);
        const std::vector<float> found = buffers.read(rank);
        for (std::size_t i = 0; i < 1000; ++i)
          ASSERT_EQ(found[i], i < 333   ? float(k) * sum
                              : i < 400 ? own(rank)
                                        : sum)
              << reducer->transport() << " " << rank << " at " << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryBf16Reducer, testing::ValuesIn(test::all_reducers(9)),
                         test::algorithm_and_k);

TEST(Bf16Reducers, RefuseMixedAndOtherTypes) {
  Group group = test::cpu_group(2);
  const Buffer a = group.device(0).allocate(64), b = group.device(1).allocate(64);
  const std::vector<Event> at_once(2);
  const auto shared = make_backend("cpu")->make_reducer("ring", group);
  const auto wide = make_fp32_accumulating(make_reducer("ring", group), group);
  const auto refused = [&](Reducer& reducer, DType first, DType second) {
    const std::vector<Slice> slices = {a.slice(first).sub({0, 8}), b.slice(second).sub({0, 8})};
    return test::error_of([&] { reducer.allreduce(slices, {0, 8}, at_once); }, Exit::internal);
  };
  EXPECT_TRUE(test::has(refused(*shared, DType::f32, DType::bf16), "fp32 and bf16"));
  EXPECT_TRUE(test::has(refused(*shared, DType::i32, DType::i32), "i32"));
  EXPECT_TRUE(test::has(refused(*wide, DType::f32, DType::f32), "fp32"));
  EXPECT_EQ(wide->name(), "ring");
  EXPECT_EQ(wide->transport(), "streams");
}

// One set of buffers as bf16, then the same memory as fp32: nothing of the first type is remembered.
TEST(Bf16Reducers, TheTypeIsTheSlicesEachTime) {
  Group group = test::cpu_group(2);
  const auto shared = make_backend("cpu")->make_reducer("direct", group);
  const Buffer a = group.device(0).allocate(4096), b = group.device(1).allocate(4096);
  for (const DType dtype : {DType::bf16, DType::f32, DType::bf16}) {
    const std::vector<Slice> slices = {a.slice(dtype).sub({0, 1000}), b.slice(dtype).sub({0, 1000})};
    EXPECT_EQ(check_sum(*shared, group, slices).wrong, 0) << name_of(dtype);
  }
}

}  // namespace
}  // namespace dpx
