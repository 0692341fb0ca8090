// Every schedule in simulated time, for k = 1..17, awkward counts and every kind of link.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lib/comm/counting_link.hpp"
#include "lib/comm/schedule_checks.hpp"
#include "lib/comm/sim_link.hpp"
#include "tests/support/algorithm_parameters.hpp"

namespace dpx {
namespace {

class EverySimulation : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  int k = std::get<1>(GetParam());
  std::unique_ptr<Schedule> schedule = make_schedule(std::get<0>(GetParam()), k);
  std::vector<std::size_t> counts() const {
    return {0, 1, std::size_t(k - 1), std::size_t(k), std::size_t(k + 1), 1000, 129068};
  }
};

LinkModel links(Duplex duplex, int ranks_per_node = 0, bool one_nic = false) {
  LinkModel model;
  model.inside = {2e-6, 10e9};
  model.duplex = duplex;
  model.ranks_per_node = ranks_per_node;
  model.between = {5e-6, 1e9};
  model.one_nic_per_node = one_nic;
  return model;
}

/// What every port must fit in, whatever the order.
TEST_P(EverySimulation, NeverBeatsThePortsAndKeepsThemAllBusy) {
  for (const Duplex duplex : {Duplex::full, Duplex::half, Duplex::bus})
    for (const std::size_t count : counts()) {
      const LinkModel model = links(duplex);
      SimLink link(k, model, 4);
      CountingLink counter(k);
      FanOut both({&link, &counter});
      walk(*schedule, {0, count}, both);
      double bound_s = 0, send_s = 0, receive_s = 0;
      for (const RankTraffic& r : counter.ranks()) {
        const double sending = model.inside.alpha_s * double(r.messages_sent) +
                               double(r.elements_sent) * 4 / model.inside.beta_Bps;
        const double receiving = model.inside.alpha_s * double(r.messages_received) +
                                 double(r.elements_received) * 4 / model.inside.beta_Bps;
        send_s += sending;
        receive_s += receiving;
        bound_s =
            std::max(bound_s, duplex == Duplex::full ? std::max(sending, receiving) : sending + receiving);
      }
      double busy_s = 0;
      for (const PortUse& port : link.ports()) busy_s += port.busy_s;
      const double expected_busy_s = duplex == Duplex::bus ? send_s : send_s + receive_s;
      EXPECT_NEAR(send_s, receive_s, 1e-9 * send_s);
      EXPECT_NEAR(busy_s, expected_busy_s, 1e-9 * expected_busy_s);
      if (duplex == Duplex::bus)
        EXPECT_NEAR(link.time_s(), send_s, 1e-9 * send_s) << "a bus never rests";
      else
        EXPECT_GE(link.time_s(), bound_s * (1 - 1e-9));
      EXPECT_LE(link.time_s(), send_s * (1 + 1e-9)) << "one after the other is the slowest";
    }
}

/// No port carries two transfers at once, and a rank enters a step after all it did before.
TEST_P(EverySimulation, PortsCarryOneTransferAtATimeAndStepsKeepTheirOrder) {
  for (const LinkModel& model : {links(Duplex::full), links(Duplex::half), links(Duplex::bus),
                                 links(Duplex::full, 4), links(Duplex::full, 3, true)}) {
    SimLink link(k, model, 4);
    std::vector<TimedTransfer> log;
    link.keep_transfers(&log);
    walk(*schedule, {0, 1000}, link);
    std::map<std::string, std::vector<std::pair<double, double>>> used;
    std::vector<double> done(std::size_t(k), 0), next(std::size_t(k), 0);
    int step = 0;
    for (const TimedTransfer& t : log) {
      if (t.step != step) done = next, step = t.step;
      const auto [src, dst] = std::pair{t.transfer.src, t.transfer.dst};
      const bool inside = model.node_of(src) == model.node_of(dst);
      const auto place = [&](int rank) {
        if (inside) return "rank " + std::to_string(rank);
        return model.one_nic_per_node ? "NIC of node " + std::to_string(model.node_of(rank))
                                      : "NIC of rank " + std::to_string(rank);
      };
      const bool full = model.duplex == Duplex::full;
      if (model.duplex == Duplex::bus) {
        used["bus"].emplace_back(t.start_s, t.end_s);
      } else {
        used[place(src) + (full ? " send" : "")].emplace_back(t.start_s, t.end_s);
        used[place(dst) + (full ? " receive" : "")].emplace_back(t.start_s, t.end_s);
      }
      for (int rank : {src, dst}) {
        EXPECT_GE(t.start_s, done[std::size_t(rank)]);
        next[std::size_t(rank)] = std::max(next[std::size_t(rank)], t.end_s);
      }
      EXPECT_DOUBLE_EQ(t.end_s, t.start_s + transfer_time_s(inside ? model.inside : model.between, t.bytes));
    }
    EXPECT_EQ(next, link.finish_s());
    for (auto& [port, times] : used) {
      std::sort(times.begin(), times.end());
      for (std::size_t i = 1; i < times.size(); ++i)
        EXPECT_GE(times[i].first, times[i - 1].second - 1e-13) << port;
    }
  }
}

TEST_P(EverySimulation, BytesAreTheClosedForms) {
  for (const std::size_t count : counts()) {
    CountingLink counter(k);
    walk(*schedule, {0, count}, counter);
    for (const Finding& finding : check_traffic(*schedule, count, 4, counter.ranks()))
      EXPECT_TRUE(finding.passed) << finding.name << ": " << finding.value << " against " << finding.limit
                                  << ", N = " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySimulation, testing::ValuesIn(test::all_schedules()),
                         test::algorithm_and_k);

}  // namespace
}  // namespace dpx
