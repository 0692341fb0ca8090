// Simulated time against the formulas of chapter and lesson, written out here.
#include "lib/comm/sim_link.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/comm/simulate.hpp"

namespace dpx {
namespace {

LinkModel links(double alpha_s, double beta_Bps, Duplex duplex = Duplex::full) {
  LinkModel model;
  model.inside = {alpha_s, beta_Bps};
  model.duplex = duplex;
  return model;
}

/// Simulated seconds for `count` elements of `size` bytes.
double time_of(const std::string& algorithm, int k, std::size_t count, const LinkModel& model,
               std::int64_t size = 4) {
  const auto schedule = make_schedule(algorithm, k);
  SimLink link(k, model, size);
  walk(*schedule, {0, count}, link);
  return link.time_s();
}

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, 1e-12 * expected);
}

TEST(SimLink, RingStarAndTreeTakeTheFormulasTime) {
  const double alpha = 10e-6, beta = 20e9;
  for (int k : {2, 3, 4, 5, 7, 8, 16, 17, 64}) {
    const std::size_t count = std::size_t(k) * 1000;
    const double bytes = 4.0 * double(count);
    const LinkModel model = links(alpha, beta);
    SCOPED_TRACE(k);
    expect_close(time_of("ring", k, count, model), 2 * (k - 1) * (alpha + bytes / (k * beta)));
    expect_close(time_of("star", k, count, model), 2 * (k - 1) * (alpha + bytes / beta));
    expect_close(time_of("tree", k, count, model), 2 * std::ceil(std::log2(k)) * (alpha + bytes / beta));
    expect_close(time_of("parameter-server:1", k, count, model), 2 * (k - 1) * (alpha + bytes / beta));
  }
}

TEST(SimLink, HalvingDoublingOnPowersOfTwo) {
  const double alpha = 10e-6, beta = 20e9;
  for (int k : {2, 4, 8, 16}) {
    const std::size_t count = std::size_t(k) * 1000;
    const double bandwidth = 2.0 * (k - 1) / k * 4 * double(count) / beta;
    SCOPED_TRACE(k);
    expect_close(time_of("halving-doubling", k, count, links(alpha, beta)),
                 2 * std::log2(k) * alpha + bandwidth);
  }
}

TEST(SimLink, PipelinedStarUsesBothDirections) {
  const std::size_t count = 64 << 20;
  const double star = time_of("star", 2, count, links(0, 17.28e9));
  expect_close(star, 2 * 268435456 / 17.28e9);                                     // 31.1 ms, the chapter's
  expect_close(time_of("star:64", 2, count, links(0, 17.28e9)), star * 65 / 128);  // 15.8 ms
}

TEST(SimLink, StarOverRingIsKWithPortsAndOneOnABus) {
  for (int k : {2, 4, 8}) {
    const std::size_t count = 64 << 10;
    const auto ratio = [&](Duplex duplex) {
      return time_of("star", k, count, links(0, 5e9, duplex)) /
             time_of("ring", k, count, links(0, 5e9, duplex));
    };
    EXPECT_NEAR(ratio(Duplex::full), k, 1e-9);
    EXPECT_NEAR(ratio(Duplex::bus), 1, 1e-9);
  }
}

TEST(SimLink, RingFromTwoToFourDevices) {
  const std::size_t count = 64 << 20;
  for (const auto& [duplex, growth] : {std::pair{Duplex::full, 1.5}, {Duplex::bus, 3.0}})
    EXPECT_NEAR(
        time_of("ring", 4, count, links(0, 5e9, duplex)) / time_of("ring", 2, count, links(0, 5e9, duplex)),
        growth, 1e-9);
  EXPECT_NEAR(time_of("star", 4, count, links(0, 5e9)) / time_of("star", 2, count, links(0, 5e9)), 3, 1e-9);
}

TEST(SimLink, HalfDuplexPortsTakeTurns) {
  const double step = 1e-6 + 1000 / 1e9;
  EXPECT_NEAR(time_of("ring", 4, 1000, links(1e-6, 1e9, Duplex::half)), 6 * 2 * step, 1e-12);
  EXPECT_NEAR(time_of("ring", 2, 500, links(1e-6, 1e9, Duplex::half)), 2 * 2 * step, 1e-12);
  // Five ports carry two transfers at a time, so a step of five cannot take less than 2.5 turns.
  const double odd = time_of("ring", 5, 1250, links(1e-6, 1e9, Duplex::half));
  EXPECT_GE(odd, 8 * 2.5 * step);
  EXPECT_LE(odd, 8 * 3 * step);
  // Ranks of a star never do both in one step.
  EXPECT_EQ(time_of("star", 5, 1000, links(1e-6, 1e9, Duplex::half)),
            time_of("star", 5, 1000, links(1e-6, 1e9)));
}

TEST(SimLink, TreeAndRingCrossWhereTheFormulaSays) {
  // N* = alpha beta [(k-1) - log2 k] / [log2 k - (k-1)/k] = 376,471 B at k = 8, 10 us, 20 GB/s; elements of
  // one byte, since 8 B is two fp32.
  const LinkModel model = links(10e-6, 20e9);
  std::size_t low = 8, high = 8 << 20;  // the tree is below the ring at `low`, not at `high`
  while (high - low > 8) {
    const std::size_t middle = (low + high) / 16 * 8;
    (time_of("tree", 8, middle, model, 1) < time_of("ring", 8, middle, model, 1) ? low : high) = middle;
  }
  EXPECT_NEAR(double(low), 376471, 8);
  EXPECT_NEAR(double(high), 376471, 8);
  EXPECT_NEAR(time_of("ring", 8, low, model, 1), 172.9e-6, 0.05e-6);
}

TEST(SimLink, LessonsTable) {
  const auto ms = [](int k, double beta, std::size_t bytes) {
    return 1e3 * time_of("ring", k, bytes / 2, links(5e-6, beta), 2);
  };
  const std::size_t large = 16'000'000'000, small = 1'000'000;
  EXPECT_NEAR(ms(8, 450e9, large), 62.3, 0.05);
  EXPECT_NEAR(ms(64, 450e9, large), 70.6, 0.05);
  EXPECT_NEAR(ms(512, 450e9, large), 76.1, 0.05);
  EXPECT_NEAR(ms(8, 50e9, large), 560.1, 0.05);
  EXPECT_NEAR(ms(64, 50e9, large), 630.6, 0.05);
  EXPECT_NEAR(ms(512, 50e9, large), 643.9, 0.05);
  EXPECT_NEAR(ms(8, 50e9, small), 0.11, 0.005);
  EXPECT_NEAR(ms(512, 50e9, small), 5.15, 0.005);
}

TEST(Simulate, FormulaIsExactABoundOrUnknown) {
  const auto on = [](const std::string& algorithm, int k, const LinkModel& model) {
    return simulate(*make_schedule(algorithm, k), std::size_t(k) * 60, 4, model);
  };
  EXPECT_TRUE(on("direct", 6, links(1e-6, 1e9)).formula_exact);
  const SimulatedTime six = on("parameter-server:4", 6, links(1e-6, 1e9));
  EXPECT_TRUE(six.formula_is_bound && !six.formula_exact);
  EXPECT_GE(six.time_s, *six.formula_time_s * (1 - 1e-12));
  for (const std::string& algorithm : schedule_names()) {
    const SimulatedTime bus = on(algorithm, 4, links(1e-6, 1e9, Duplex::bus));
    ASSERT_TRUE(bus.formula_exact) << algorithm;
    expect_close(bus.time_s, *bus.formula_time_s);
  }
  EXPECT_FALSE(on("ring", 4, links(1e-6, 1e9, Duplex::half)).formula_time_s);
  EXPECT_TRUE(on("tree", 4, links(1e-6, 1e9, Duplex::half)).formula_exact);
  LinkModel two_level = links(1e-6, 1e9);
  two_level.ranks_per_node = 2;
  two_level.between = {1e-5, 1e8};
  EXPECT_FALSE(on("ring", 4, two_level).formula_time_s);
}

TEST(SimLink, LateRanksHoldUpOnlyWhoWaitsForThem) {
  // Rank 0 sends to 1, then 1 to 2; rank 3 sends to 4 meanwhile, then 4 to 2.
  SimLink link(5, links(0, 1), 1);
  link.transfer({0, 1, 0, 1, Op::copy}, {0, 5});
  link.transfer({3, 4, 0, 1, Op::copy}, {0, 2});
  link.end_step();
  link.transfer({1, 2, 0, 1, Op::copy}, {0, 5});
  link.transfer({4, 2, 0, 1, Op::copy}, {0, 2});
  link.end_step();
  EXPECT_EQ(link.finish_s(), (std::vector<double>{5, 10, 10, 2, 4}))
      << "4 to 2 fits before 1 to 2, though it comes later in the list";
}

TEST(SimLink, KeepsTransfersForDrawing) {
  SimLink link(4, links(1, 1), 1);
  std::vector<TimedTransfer> log;
  link.keep_transfers(&log);
  const auto star = make_schedule("star", 4);
  walk(*star, {0, 2}, link);
  ASSERT_EQ(log.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(log[i].start_s, 3 * double(i));
    EXPECT_EQ(log[i].end_s, 3 * double(i + 1));
    EXPECT_EQ(log[i].bytes, 2);
    EXPECT_EQ(log[i].step, int(i) / 3);
  }
  EXPECT_EQ(link.ports()[0].name, "rank 0 send");
  EXPECT_EQ(link.ports()[0].busy_s, 9);
  EXPECT_EQ(link.ports()[1].busy_s, 9);
  EXPECT_EQ(link.ports()[2].busy_s, 3);
}

TEST(SimLink, NothingToSendTakesNoTime) {
  EXPECT_EQ(time_of("ring", 1, 1000, links(1, 1)), 0);
  EXPECT_EQ(time_of("ring", 4, 0, links(1, 1)), 0);
}

LinkModel nodes(int ranks, bool one_nic) {
  LinkModel model = links(1e-6, 100e9);
  model.ranks_per_node = ranks;
  model.between = {5e-6, 10e9};
  model.one_nic_per_node = one_nic;
  return model;
}

TEST(SimLink, ARingOverNodesGoesAtThePaceOfTheSlowLinks) {
  // Every rank waits for the slow edge of its ring within k steps; from then on each step takes a slow one.
  const int k = 8;
  const double slow = 5e-6 + 4.0 * 1000 / 10e9;
  const double t = time_of("ring", k, 8000, nodes(4, false));
  EXPECT_LE(t, 2 * (k - 1) * slow * (1 + 1e-12));
  EXPECT_GE(t, (k - 1) * slow);
  EXPECT_EQ(t, time_of("ring", k, 8000, nodes(4, true))) << "one rank of a node sends outside";
  expect_close(time_of("ring", k, 8000, nodes(8, false)), 2 * (k - 1) * (1e-6 + 4.0 * 1000 / 100e9));
  expect_close(time_of("ring", k, 8000, nodes(1, false)), 2 * (k - 1) * slow);
}

TEST(SimLink, RanksOfANodeShareItsNic) {
  // In one step ranks 0..3 send to 4..7 on the other node.
  const auto step = [](bool one_nic) {
    SimLink link(8, nodes(4, one_nic), 1);
    for (int rank = 0; rank < 4; ++rank) link.transfer({rank, rank + 4, 0, 1, Op::copy}, {0, 50'000});
    link.end_step();
    return link;
  };
  expect_close(step(false).time_s(), 10e-6);
  const SimLink shared = step(true);
  expect_close(shared.time_s(), 40e-6);
  for (const PortUse& port : shared.ports())
    if (port.name == "node 0 NIC send" || port.name == "node 1 NIC receive")
      expect_close(port.busy_s, 40e-6);
    else
      EXPECT_EQ(port.busy_s, 0) << port.name;
}

TEST(SimLink, NodesWithBusesHaveOneEachAndOneBetween) {
  LinkModel model = nodes(2, false);
  model.duplex = Duplex::bus;
  SimLink link(4, model, 1);
  link.transfer({0, 1, 0, 1, Op::copy}, {0, 100'000});  // 2 us on the bus of node 0
  link.transfer({2, 3, 0, 1, Op::copy}, {0, 100'000});  // at the same time on that of node 1
  link.end_step();
  EXPECT_NEAR(link.time_s(), 2e-6, 1e-15);
  link.transfer({0, 2, 0, 1, Op::copy}, {0, 50'000});  // 10 us on the bus between
  link.transfer({1, 3, 0, 1, Op::copy}, {0, 50'000});  // after it
  link.end_step();
  EXPECT_NEAR(link.time_s(), 22e-6, 1e-15);
}

}  // namespace
}  // namespace dpx
