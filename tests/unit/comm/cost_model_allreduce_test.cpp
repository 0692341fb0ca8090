// Closed-form allreduce times: the sources' numbers, the schedules walked on ports of alpha and beta, and
// their bounds. Test names carry the id of the value.
#include "lib/comm/cost_model/allreduce_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "lib/comm/cost_model/traffic.hpp"
#include "lib/comm/cost_model/two_level.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/comm/trace_link.hpp"

namespace dpx {
namespace {

constexpr double kLeNetBytes = 516272;
constexpr AlphaBeta kChapter{10e-6, 20e9}, kNvlink{5e-6, 450e9}, kNic{5e-6, 50e9};

// What the lesson's program prints, in ms to one decimal.
struct LessonRow {
  AlphaBeta link;
  int k;
  double total_ms, latency_ms;
};

TEST(CostModelAllreduce, D1_LessonTable) {
  const LessonRow rows[] = {{kNvlink, 8, 62.3, 0.1},      {kNvlink, 64, 70.6, 0.6}, {kNvlink, 512, 76.1, 5.1},
                            {kNvlink, 4096, 112.0, 41.0}, {kNic, 8, 560.1, 0.1},    {kNic, 64, 630.6, 0.6},
                            {kNic, 512, 643.9, 5.1},      {kNic, 4096, 680.8, 41.0}};
  for (const LessonRow& row : rows) {
    const CommTime t = ring_time(row.k, 16e9, row.link);
    EXPECT_NEAR(t.total_s() * 1e3, row.total_ms, 0.05) << row.k;
    EXPECT_NEAR(t.latency_s * 1e3, row.latency_ms, 0.05) << row.k;
  }
}

TEST(CostModelAllreduce, D1_SmallMessage) {
  EXPECT_NEAR(ring_time(8, 1e6, kNic).total_s() * 1e3, 0.11, 0.005);
  EXPECT_NEAR(ring_time(512, 1e6, kNic).total_s() * 1e3, 5.15, 0.005);
  EXPECT_NEAR(ring_time(4096, 1e6, kNic).total_s() * 1e3, 40.99, 0.005);
}

TEST(CostModelAllreduce, S2Code_WhatEightTo4096Adds) {
  const CommTime slow8 = ring_time(8, 16e9, kNic), slow4096 = ring_time(4096, 16e9, kNic);
  const double added_s = slow4096.total_s() - slow8.total_s();
  EXPECT_NEAR(added_s * 1e3, 120.7, 0.05);
  EXPECT_NEAR(added_s / slow8.total_s(), 0.216, 0.0005);
  EXPECT_NEAR((slow4096.latency_s - slow8.latency_s) * 1e3, 40.9, 0.05);
  EXPECT_NEAR((slow4096.bandwidth_s - slow8.bandwidth_s) * 1e3, 79.8, 0.05);
  EXPECT_NEAR((slow4096.latency_s - slow8.latency_s) / added_s, 0.34, 0.005);
  const CommTime fast8 = ring_time(8, 16e9, kNvlink), fast4096 = ring_time(4096, 16e9, kNvlink);
  const double fast_added_s = fast4096.total_s() - fast8.total_s();
  EXPECT_NEAR(fast_added_s / fast8.total_s(), 0.799, 0.0005);
  EXPECT_NEAR((fast4096.latency_s - fast8.latency_s) / fast_added_s, 0.82, 0.005);
}

TEST(CostModelAllreduce, D2_BytesPerDevice) {
  EXPECT_DOUBLE_EQ(ring_bytes_per_device(8, 16e9), 28e9);
  EXPECT_NEAR(ring_bytes_per_device(4096, 16e9), 32e9, 0.01e9);
  EXPECT_DOUBLE_EQ(2 * 16e9 / kNic.beta_Bps, 0.64);
  EXPECT_NEAR(ring_time(8, 16e9, kNic).bandwidth_s, 0.560, 1e-12);
}

TEST(CostModelAllreduce, B3_RingFactor) {
  const std::pair<int, double> rows[] = {{2, 1}, {3, 1.333}, {4, 1.5}, {8, 1.75}, {64, 1.969}};
  for (const auto& [k, factor] : rows) EXPECT_NEAR(ring_bytes_per_device(k, 1), factor, 5e-4) << k;
  EXPECT_NEAR(ring_bytes_per_device(1 << 30, 1), 2, 1e-8);
}

TEST(CostModelAllreduce, B5_LeNetBound) {
  EXPECT_NEAR(star_time(2, kLeNetBytes, {0, 17.28e9}).total_s() * 1e6, 59.8, 0.05);
  EXPECT_NEAR(star_time(2, kLeNetBytes, {0, 2.71e9}).total_s() * 1e6, 381, 0.5);
}

TEST(CostModelAllreduce, B10_NvlinkDomain) {
  EXPECT_NEAR(1.8e12 / 17.28e9, 104, 0.5);
  EXPECT_NEAR(1.8e12 / 2.71e9, 664, 0.5);
  EXPECT_NEAR(star_time(2, 268435456, {0, 1.8e12}).total_s() * 1e3, 0.30, 0.005);
}

TEST(CostModelAllreduce, Ex4_1_RingTermsInK) {
  for (int k = 2; k < 4096; k *= 2) {
    const CommTime t = ring_time(k, 1e6, kChapter), next = ring_time(2 * k, 1e6, kChapter);
    EXPECT_DOUBLE_EQ(t.latency_s, 2 * (k - 1) * kChapter.alpha_s);
    EXPECT_GT(next.bandwidth_s, t.bandwidth_s);
    EXPECT_LT(next.bandwidth_s, 2 * 1e6 / kChapter.beta_Bps);
  }
}

TEST(CostModelAllreduce, Ex4_3_LeNetStarPerTensorAndFlat) {
  const CommTime one = star_time(2, kLeNetBytes / 8, kChapter);
  const CommTime tensors{8 * one.latency_s, 8 * one.bandwidth_s};
  EXPECT_NEAR(tensors.total_s() * 1e6, 211.6, 0.05);
  EXPECT_NEAR(tensors.bandwidth_s * 1e6, 51.6, 0.05);
  EXPECT_NEAR(tensors.latency_share(), 0.756, 5e-4);
  const CommTime flat = star_time(2, kLeNetBytes, kChapter);
  EXPECT_NEAR(flat.total_s() * 1e6, 71.6, 0.05);
  EXPECT_NEAR(flat.latency_share(), 0.279, 5e-4);
  EXPECT_NEAR(tensors.total_s() / flat.total_s(), 2.95, 0.005);
}

TEST(CostModelAllreduce, A6_StarBytesAtTheHub) {
  for (const auto& [k, in] : {std::pair{2, 1.0}, {4, 3.0}}) {
    const AllreduceTraffic t = allreduce_traffic("star", k, 1);
    EXPECT_EQ(t.busiest_received_bytes, in);
    EXPECT_EQ(t.busiest_sent_bytes, in);
    EXPECT_EQ(t.total_bytes, 2 * in);
  }
}

TEST(CostModelAllreduce, A8_TransfersOfOneStepOfEightTensors) {
  EXPECT_EQ(8 * allreduce_traffic("star", 2, 1).messages, 16);
  EXPECT_EQ(8 * allreduce_traffic("star", 4, 1).messages, 48);
}

TEST(CostModelAllreduce, Ex5_1_DedicatedServers) {
  for (const int servers : {1, 2, 4, 8, 16}) {
    const ServerTraffic t = dedicated_server_traffic(8, servers, 1e9);
    EXPECT_DOUBLE_EQ(t.worker_bytes, 1e9);
    EXPECT_DOUBLE_EQ(t.server_bytes, 8e9 / servers);
    EXPECT_EQ(t.server_bytes <= t.worker_bytes, servers >= balanced_servers(8));
  }
  EXPECT_DOUBLE_EQ(dedicated_server_time(8, 8, 1e9, kChapter).bandwidth_s, 2e9 / 20e9);
}

TEST(CostModelAllreduce, Ex5_2_WorkersAsServersMoveTheRingsBytes) {
  for (int k = 2; k <= 17; ++k) {
    const AllreduceTraffic t = allreduce_traffic("direct", k, 1e6);
    EXPECT_DOUBLE_EQ(t.busiest_sent_bytes, ring_bytes_per_device(k, 1e6));
    EXPECT_DOUBLE_EQ(t.busiest_received_bytes, ring_bytes_per_device(k, 1e6));
    EXPECT_DOUBLE_EQ(direct_time(k, 1e6, kChapter).bandwidth_s, ring_time(k, 1e6, kChapter).bandwidth_s);
  }
}

TEST(CostModelAllreduce, Ex11_1_StarOverRing) {
  const AlphaBeta link{0, 20e9};
  for (int k = 2; k <= 17; ++k) {
    EXPECT_DOUBLE_EQ(allreduce_traffic("star", k, 1).total_bytes,
                     allreduce_traffic("ring", k, 1).total_bytes);
    EXPECT_NEAR(star_time(k, 1e6, link).total_s() / ring_time(k, 1e6, link).total_s(), k, 1e-12 * k);
    EXPECT_DOUBLE_EQ(allreduce_time("star", k, 1e6, link, Wiring::bus).total_s(),
                     allreduce_time("ring", k, 1e6, link, Wiring::bus).total_s());
  }
}

TEST(CostModelAllreduce, Ex11_3_FourOverTwoDevices) {
  const AlphaBeta link{0, 20e9};
  const auto ratio = [&](const char* name, Wiring wiring) {
    return allreduce_time(name, 4, 268435456, link, wiring).total_s() /
           allreduce_time(name, 2, 268435456, link, wiring).total_s();
  };
  EXPECT_DOUBLE_EQ(ratio("ring", Wiring::full_duplex), 1.5);
  EXPECT_DOUBLE_EQ(ratio("ring", Wiring::bus), 3);
  EXPECT_DOUBLE_EQ(ratio("star", Wiring::full_duplex), 3);
  EXPECT_DOUBLE_EQ(ratio("star", Wiring::bus), 3);
}

TEST(CostModelAllreduce, D4_TwoLevelKeepsTheSlowLinkShort) {
  const Cluster cluster{8, 8, kNvlink, kNic};
  const TwoLevelTime t = two_level_time(cluster, 16e9);
  EXPECT_DOUBLE_EQ(t.inside.total_s(), ring_time(8, 16e9, kNvlink).total_s());
  EXPECT_DOUBLE_EQ(t.between.total_s(), ring_time(8, 2e9, kNic).total_s());
  EXPECT_LT(t.total_s(), ring_time(64, 16e9, kNic).total_s());
  EXPECT_DOUBLE_EQ(two_level_time({1, 8, kNvlink, kNic}, 16e9).total_s(),
                   ring_time(8, 16e9, kNvlink).total_s());
  EXPECT_DOUBLE_EQ(two_level_time({8, 1, kNvlink, kNic}, 16e9).total_s(), ring_time(8, 16e9, kNic).total_s());
}

// Time of a schedule's list on ports that send one message and receive one message at a time, or on a bus;
// `messages` and `sent`, `received` count what the list moves.
struct Walked {
  double time_s = 0, bus_s = 0, messages = 0;
  std::vector<double> sent, received;
};

Walked walk_on_ports(const Schedule& schedule, double bytes, AlphaBeta link) {
  const std::size_t k = std::size_t(schedule.world_size());
  Walked out{0, 0, 0, std::vector<double>(k), std::vector<double>(k)};
  for (int s = 0; s < schedule.num_steps(); ++s) {
    std::vector<double> in_s(k), out_s(k);
    for (const Transfer& t : schedule.step(s)) {
      const double m = bytes * t.num_chunks / schedule.num_chunks();
      const double time_s = link.alpha_s + m / link.beta_Bps;
      out_s[std::size_t(t.src)] += time_s;
      in_s[std::size_t(t.dst)] += time_s;
      out.sent[std::size_t(t.src)] += m;
      out.received[std::size_t(t.dst)] += m;
      out.bus_s += time_s;
      ++out.messages;
    }
    out.time_s +=
        std::max(*std::max_element(in_s.begin(), in_s.end()), *std::max_element(out_s.begin(), out_s.end()));
  }
  return out;
}

TEST(CostModelAllreduce, AgreesWithEveryScheduleWalkedOnPortsAndOnABus) {
  for (int k = 1; k <= 17; ++k) {
    std::vector<std::string> names = schedule_names();
    for (int servers = 2; servers <= k; servers += 3)
      names.push_back("parameter-server:" + std::to_string(servers));
    for (const std::string& name : names) {
      if (name == "halving-doubling" && (k & (k - 1)) != 0) continue;
      SCOPED_TRACE(name + " k=" + std::to_string(k));
      const Walked walked = walk_on_ports(*make_schedule(name, k), 1e6, kChapter);
      const AllreduceTraffic traffic = allreduce_traffic(name, k, 1e6);
      EXPECT_NEAR(allreduce_time(name, k, 1e6, kChapter).total_s(), walked.time_s,
                  1e-15 + 1e-12 * walked.time_s);
      EXPECT_NEAR(allreduce_time(name, k, 1e6, kChapter, Wiring::bus).total_s(), walked.bus_s,
                  1e-15 + 1e-12 * walked.bus_s);
      EXPECT_EQ(traffic.messages, walked.messages);
      EXPECT_NEAR(traffic.busiest_sent_bytes, *std::max_element(walked.sent.begin(), walked.sent.end()),
                  1e-3);
      EXPECT_NEAR(traffic.busiest_received_bytes,
                  *std::max_element(walked.received.begin(), walked.received.end()), 1e-3);
    }
  }
}

TEST(CostModelAllreduce, RingIsNeverAboveStar) {
  for (int k = 2; k <= 64; ++k)
    for (const double bytes : {0.0, 1.0, 1e6, 1e9})
      EXPECT_LE(ring_time(k, bytes, kChapter).total_s(), star_time(k, bytes, kChapter).total_s()) << k;
}

TEST(CostModelAllreduce, GrowsWithDevicesAndBytes) {
  for (const std::string& name : schedule_names())
    for (int k = 1; k <= 64; k *= 2) {
      const double t = allreduce_time(name, k, 1e6, kChapter).total_s();
      EXPECT_GT(allreduce_time(name, 2 * k, 1e6, kChapter).total_s(), t) << name << k;
      EXPECT_GE(allreduce_time(name, k, 2e6, kChapter).total_s(), t) << name << k;
    }
}

TEST(CostModelAllreduce, OneDeviceTakesNoTime) {
  for (const std::string& name : schedule_names())
    EXPECT_EQ(allreduce_time(name, 1, 1e9, kChapter).total_s(), 0) << name;
}

}  // namespace
}  // namespace dpx
