// Every algorithm on CPU devices, with inputs whose sums are exact: every element right, all ranks
// bit-identical, two allreduces back to back, buffers of every awkward size. ThreadSanitizer runs this too
// and sees a missing wait.
#include <gtest/gtest.h>

#include "lib/comm/link_model.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/core/hash.hpp"
#include "tests/support/algorithm_parameters.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/exact_inputs.hpp"

namespace dpx {
namespace {

constexpr int kMaxEmulated = 6;  // emulated links take real time

// Each algorithm as streams and events, as the backend does it best, and over emulated links.
class EveryReducer : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  std::vector<std::unique_ptr<Reducer>> reducers(Group& group) {
    std::vector<std::unique_ptr<Reducer>> all;
    all.push_back(make_reducer(std::get<0>(GetParam()), group));
    const auto backend = make_backend("cpu");
    all.push_back(backend->make_reducer(std::get<0>(GetParam()), group));
    if (group.size() > kMaxEmulated) return all;
    for (const char* link : {"alpha=1us,beta=100GB/s", "alpha=3us,beta=10GB/s,duplex=bus",
                             "alpha=1us,beta=50GB/s,duplex=half,ranks-per-node=2,beta-inter=10GB/s"})
      all.push_back(backend->make_emulated_reducer(std::get<0>(GetParam()), parse_link_model(link), group));
    return all;
  }
};

std::vector<std::vector<float>> inputs(int k, std::size_t count) {
  std::vector<std::vector<float>> values;
  for (int rank = 0; rank < k; ++rank) values.push_back(test::exact_input(rank, count));
  return values;
}

TEST_P(EveryReducer, SumsEveryElementOnEveryRank) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  for (const auto& reducer : reducers(group)) {
    EXPECT_EQ(reducer->name(), algorithm == "parameter-server" ? "parameter-server:1" : algorithm);
    std::int64_t total = 0;
    for (std::size_t count : {0, 1, k - 1, k, k + 1, 1000, 129068}) {
      test::RankBuffers buffers(group, inputs(k, count));
      reducer->allreduce(buffers.slices(), {0, count}, std::vector<Event>(std::size_t(k)));
      group.synchronize();
      total += 2 * (k - 1) * std::int64_t(count);
      for (int rank = 0; rank < k; ++rank)
        EXPECT_EQ(buffers.read(rank), test::exact_sum(k, count))
            << reducer->transport() << ": rank " << rank << " of N = " << count;
    }
    std::int64_t carried = 0;
    for (const auto& [link, elements] : reducer->elements_carried()) carried += elements;
    EXPECT_EQ(carried, total) << reducer->transport();
  }
}

/// After sums of [0, 333) twice and of [400, 1000) once.
float after_three_sums(int k, std::size_t i, float own, float sum) {
  if (i < 333) return float(k) * sum;
  return i < 400 ? own : sum;
}

TEST_P(EveryReducer, ThreeInARowOverPartsOfABuffer) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  for (const auto& reducer : reducers(group)) {
    test::RankBuffers buffers(group, inputs(k, 1000));
    std::vector<Event> ready;
    for (int rank = 0; rank < k; ++rank) ready.push_back(group.device(rank).compute().record());
    for (const Range part : {Range{0, 333}, Range{0, 333}, Range{400, 600}})
      ready = reducer->allreduce(buffers.slices(), part, ready);
    const std::vector<float> sum = test::exact_sum(k, 1000);
    for (int rank = 0; rank < k; ++rank) {
      group.device(rank).compute().wait(ready[std::size_t(rank)]);
      const std::vector<float> own = test::exact_input(rank, 1000), found = buffers.read(rank);
      for (std::size_t i = 0; i < 1000; ++i)
        ASSERT_EQ(found[i], after_three_sums(k, i, own[i], sum[i]))
            << reducer->transport() << rank << " at " << i;
    }
  }
}

TEST_P(EveryReducer, EveryRankAndTransportHasTheSameBitsWhenSumsRound) {
  const auto [algorithm, k] = GetParam();
  Group group = test::cpu_group(k);
  std::vector<std::vector<float>> values;
  const float mixed[] = {1e8f, 1.0f, -1e8f, 0.37f};  // any other order gives other bits
  for (int rank = 0; rank < k; ++rank)
    values.push_back(std::vector<float>(1001, mixed[rank % 4] * float(rank + 1)));
  std::vector<std::uint64_t> hashes;
  for (const auto& reducer : reducers(group)) {
    test::RankBuffers buffers(group, values);
    reducer->allreduce(buffers.slices(), {0, 1001}, std::vector<Event>(std::size_t(k)));
    group.synchronize();
    for (int rank = 0; rank < k; ++rank) hashes.push_back(hash_bits(buffers.read(rank)));
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes.front());
}

INSTANTIATE_TEST_SUITE_P(All, EveryReducer, testing::ValuesIn(test::all_reducers(17)), test::algorithm_and_k);

}  // namespace
}  // namespace dpx
