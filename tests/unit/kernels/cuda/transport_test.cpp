#include "kernels/cuda/transport.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace dpx::cuda {
namespace {

const PairFacts kReachable{"cuda:0", "cuda:1", false, true}, kApart{"cuda:0", "cuda:1", false, false},
    kShared{"cuda:0", "cuda:0", true, false};

/// What a probe answers, and whether it was asked.
struct Probe {
  std::string answer;
  mutable bool asked = false;
  std::string operator()() const {
    asked = true;
    return answer;
  }
};

TEST(Transport, AutoTakesPeerAccessThatWasProbed) {
  const Probe probe;
  const PairChoice choice = choose_transport("auto", kReachable, probe);
  EXPECT_EQ(choice.transport, Transport::peer);
  EXPECT_EQ(choice.reason, "");
  EXPECT_TRUE(probe.asked);
}

TEST(Transport, AutoStagesWithTheReason) {
  const Probe unused;
  const PairChoice apart = choose_transport("auto", kApart, unused);
  EXPECT_EQ(apart.transport, Transport::staged);
  EXPECT_EQ(apart.reason, "the GPUs have no peer access");
  EXPECT_FALSE(unused.asked);
  const PairChoice corrupt = choose_transport("auto", kReachable, Probe{"element 3 is 0, not 7"});
  EXPECT_EQ(corrupt.transport, Transport::staged);
  EXPECT_EQ(
      corrupt.reason,
      "peer access is offered but does not work: element 3 is 0, not 7; switching off IOMMU or ACS often "
      "cures it");
}

TEST(Transport, SaysWhyThereIsNoPeerAccessWhereNvmlKnows) {
  PairFacts pair = kApart;
  pair.cause = peer_status_words(2);
  EXPECT_EQ(choose_transport("auto", pair, Probe{}).reason,
            "the GPUs have no peer access: this GPU model does not support it");
  for (const int tells : {1, 2, 3, 4, 5}) EXPECT_NE(peer_status_words(tells), "") << tells;
  for (const int nothing : {0, 6, 99}) EXPECT_EQ(peer_status_words(nothing), "") << nothing;
}

TEST(Transport, ReplicasOnOneGpuNeedNone) {
  EXPECT_EQ(choose_transport("auto", kShared, Probe{}).transport, Transport::local);
}

TEST(Transport, WhatIsAskedForIsDoneEvenOnOneGpu) {
  const Probe unused;
  EXPECT_EQ(choose_transport("staged", kShared, unused).transport, Transport::staged);
  EXPECT_EQ(choose_transport("driver", kReachable, unused).transport, Transport::driver);
  EXPECT_EQ(choose_transport("mapped", kApart, unused).transport, Transport::mapped);
  EXPECT_FALSE(unused.asked);
}

TEST(Transport, RefusesPeerWhereThereIsNone) {
  const auto refusal = [](const PairFacts& pair, const std::string& fault) {
    return test::error_of([&] { choose_transport("peer", pair, Probe{fault}); }, Exit::unavailable);
  };
  EXPECT_EQ(
      refusal(kApart, ""),
      "--transport peer: cuda:0 to cuda:1: the GPUs have no peer access; --transport auto or staged works");
  EXPECT_EQ(refusal(kShared, ""),
            "--transport peer: cuda:0 to cuda:0: the two share one GPU; --transport auto or staged works");
  EXPECT_NE(refusal(kReachable, "wrong bytes").find("wrong bytes"), std::string::npos);
}

TEST(Transport, PairsThatDifferAreBothNamed) {
  EXPECT_EQ(describe({}), "local");
  EXPECT_EQ(describe({{Transport::peer, ""}, {Transport::peer, ""}}), "peer");
  EXPECT_EQ(describe({{Transport::staged, ""}, {Transport::peer, ""}}), "peer+staged");
}

}  // namespace
}  // namespace dpx::cuda
