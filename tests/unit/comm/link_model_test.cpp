#include "lib/comm/link_model.hpp"

#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

using test::error_of;
using test::has;

std::string refusal(const std::string& text) {
  return error_of([&] { parse_link_model(text); });
}

TEST(LinkModel, ReadsOneLevel) {
  const LinkModel model = parse_link_model("alpha=5us,beta=450GB/s");
  EXPECT_DOUBLE_EQ(model.inside.alpha_s, 5e-6);
  EXPECT_DOUBLE_EQ(model.inside.beta_Bps, 450e9);
  EXPECT_EQ(model.duplex, Duplex::full);
  EXPECT_FALSE(model.two_level());
  EXPECT_EQ(model.node_of(17), 0);
  EXPECT_EQ(parse_link_model("beta=1GB/s").inside.alpha_s, 0) << "alpha may be left out";
  EXPECT_EQ(parse_link_model("duplex=bus,beta=1GB/s").duplex, Duplex::bus);
  EXPECT_EQ(parse_link_model("beta=1GB/s,duplex=half,alpha=0s").duplex, Duplex::half);
}

TEST(LinkModel, ReadsTwoLevels) {
  const LinkModel model =
      parse_link_model("alpha=5us,beta=450GB/s,ranks-per-node=8,alpha-inter=10us,beta-inter=50GB/s,nic=node");
  EXPECT_TRUE(model.two_level());
  EXPECT_EQ(model.node_of(7), 0);
  EXPECT_EQ(model.node_of(8), 1);
  EXPECT_DOUBLE_EQ(model.between.alpha_s, 10e-6);
  EXPECT_DOUBLE_EQ(model.between.beta_Bps, 50e9);
  EXPECT_TRUE(model.one_nic_per_node);
  const LinkModel plain = parse_link_model("alpha=5us,beta=450GB/s,ranks-per-node=8,beta-inter=50GB/s");
  EXPECT_DOUBLE_EQ(plain.between.alpha_s, 5e-6) << "alpha-inter is alpha where not given";
  EXPECT_FALSE(plain.one_nic_per_node);
}

TEST(LinkModel, RefusalsNameKeyValueAndKeys) {
  EXPECT_TRUE(has(refusal("alpha=5us"), "beta is missing", "beta-inter"));
  EXPECT_TRUE(has(refusal("alpha=5us,beta=0GB/s"), "beta", "0GB/s", "zero", "duplex"));
  EXPECT_TRUE(has(refusal("beta=-1GB/s"), "beta", "-1GB/s", "sign"));
  EXPECT_TRUE(has(refusal("beta=1e-9B/s"), "beta", "1e-9B/s", "below 1 B/s"));
  EXPECT_TRUE(has(refusal("beta=450"), "beta", "450", "unit"));
  EXPECT_TRUE(has(refusal("beta=nanGB/s"), "beta", "nanGB/s"));
  EXPECT_TRUE(has(refusal("alpha=-5us,beta=1GB/s"), "alpha", "-5us"));
  EXPECT_TRUE(has(refusal("alpha=5,beta=1GB/s"), "alpha", "\"5\"", "unit"));
  EXPECT_TRUE(has(refusal("alpha=1e9s,beta=1GB/s"), "alpha", "1e9s", "hour"));
  EXPECT_TRUE(has(refusal("alfa=5us,beta=1GB/s"), "alfa", "alpha"));
  EXPECT_TRUE(has(refusal("beta=1GB/s,beta=2GB/s"), "beta", "2GB/s", "twice"));
  EXPECT_TRUE(has(refusal("beta=1GB/s,duplex=both"), "duplex", "both", "full, half, bus"));
  EXPECT_TRUE(has(refusal("beta=1GB/s,"), "key=value"));
  EXPECT_TRUE(has(refusal("fast"), "fast", "key=value"));
  EXPECT_TRUE(has(refusal(""), "key=value"));
}

TEST(LinkModel, RefusesHalfASecondLevel) {
  EXPECT_TRUE(has(refusal("beta=1GB/s,beta-inter=1GB/s"), "beta-inter", "ranks-per-node"));
  EXPECT_TRUE(has(refusal("beta=1GB/s,nic=node"), "nic", "ranks-per-node"));
  EXPECT_TRUE(has(refusal("beta=1GB/s,ranks-per-node=8"), "beta-inter is missing"));
  for (const char* ranks : {"0", "-1", "8x", "", "99999999999"})
    EXPECT_TRUE(has(refusal(std::string("beta=1GB/s,beta-inter=1GB/s,ranks-per-node=") + ranks),
                    "ranks-per-node", ranks, "whole number"));
  EXPECT_TRUE(
      has(refusal("beta=1GB/s,beta-inter=1GB/s,ranks-per-node=8,nic=gpu"), "nic", "gpu", "rank, node"));
}

TEST(LinkModel, DescribesItself) {
  EXPECT_EQ(describe(parse_link_model("alpha=5us,beta=450GB/s")),
            "alpha 5.00 us, beta 450 GB/s, full duplex");
  EXPECT_TRUE(has(describe(parse_link_model("beta=1GB/s,duplex=bus")), "one bus"));
  EXPECT_TRUE(has(describe(parse_link_model("beta=9GB/s,ranks-per-node=8,beta-inter=5GB/s,nic=node")),
                  "nodes of 8", "5.00 GB/s", "one NIC per node"));
}

}  // namespace
}  // namespace dpx
