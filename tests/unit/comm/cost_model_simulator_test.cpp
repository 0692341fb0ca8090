// The closed forms against the simulated link, which knows ports and steps but no formula.
#include <gtest/gtest.h>

#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/simulate.hpp"

namespace dpx {
namespace {

constexpr AlphaBeta kLink{10e-6, 20e9};

// Here a port may have to wait until the other end's is free, which depends on the order of the list.
bool many_partners(const std::string& name) {
  return name.starts_with("parameter-server:");
}

class CostModelSimulator : public testing::TestWithParam<std::string> {};

TEST_P(CostModelSimulator, AgreesForEqualChunks) {
  for (int k = 1; k <= 9; ++k) {
    if (GetParam() == "halving-doubling" && (k & (k - 1)) != 0) continue;
    if (GetParam() == "parameter-server:2" && k < 2) continue;
    const auto schedule = make_schedule(GetParam(), k);
    for (const std::size_t count : {std::size_t(5040), std::size_t(2520 * 64)}) {
      const double bytes = 4 * double(count);
      for (const auto& [duplex, wiring] :
           {std::pair{Duplex::full, Wiring::full_duplex}, {Duplex::bus, Wiring::bus}}) {
        const SimulatedTime simulated = simulate(*schedule, count, 4, {kLink, duplex});
        const CommTime t = allreduce_time(GetParam(), k, bytes, {kLink.alpha_s, kLink.beta_Bps}, wiring);
        SCOPED_TRACE(std::to_string(k) + " devices, " + std::to_string(count) + ", " +
                     std::string(name_of(duplex)));
        const double slack = 1e-12 + 1e-9 * t.total_s();
        EXPECT_LE(t.total_s(), simulated.time_s + slack) << "the form is the least that the ports allow";
        if (duplex == Duplex::full && many_partners(GetParam())) {
          EXPECT_LE(simulated.time_s, 1.5 * t.total_s() + slack);
          continue;
        }
        EXPECT_NEAR(t.total_s(), simulated.time_s, slack);
        EXPECT_NEAR(t.latency_s, simulated.latency_s, slack);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CostModelSimulator,
                         testing::Values("star", "ring", "tree", "halving-doubling", "direct",
                                         "parameter-server:2", "star:2", "star:5", "tree:2", "tree:10"),
                         [](const auto& all) {
                           std::string name = all.param;
                           for (char& c : name)
                             if (c == '-' || c == ':') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace dpx
