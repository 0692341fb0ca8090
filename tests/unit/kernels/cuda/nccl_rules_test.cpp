#include "kernels/cuda/nccl_rules.hpp"

#include <gtest/gtest.h>

namespace dpx::cuda {
namespace {

const std::vector<std::string> kApart{"0000:01:00.0", "0000:02:00.0"},
    kShared{"0000:01:00.0", "0000:02:00.0", "0000:01:00.0"};

TEST(NcclRules, OldVersionsTakeOneRankPerGpu) {
  EXPECT_EQ(why_not_nccl(kApart, 22809, false), "");
  for (const bool shares : {false, true})
    EXPECT_EQ(
        why_not_nccl(kShared, 22809, shares),
        "--algo nccl: ranks 0 and 2 share GPU 0000:01:00.0, and NCCL 2.28.9 takes one rank per GPU (2.30.3 "
        "and later take more); --algo star, ring or direct works there");
}

TEST(NcclRules, NewOnesTakeMoreWhereTheVariableAllowsIt) {
  EXPECT_EQ(why_not_nccl(kApart, 23003, false), "");
  EXPECT_EQ(why_not_nccl(kShared, 23003, true), "");
  EXPECT_EQ(why_not_nccl(kShared, 23007, false),
            "--algo nccl: ranks 0 and 2 share GPU 0000:01:00.0, and NCCL 2.30.7 takes more than one rank per "
            "GPU only where NCCL_MULTI_RANK_GPU_ENABLE=1 is set (experimental, may hang); --algo star, ring "
            "or direct works there");
  EXPECT_NE(why_not_nccl(kShared, 23002, true), "");
}

TEST(NcclRules, NumbersAreReadAsNcclReadsThem) {
  for (const char* on : {"1", "2", "0x1", "-1"}) EXPECT_TRUE(switches_on(on)) << on;
  for (const char* off : {"0", "", "on", "yes"}) EXPECT_FALSE(switches_on(off)) << off;
  EXPECT_FALSE(switches_on(nullptr));
}

TEST(NcclRules, AbsentVariablesAreNamedWithTheVersionsThatHaveThem) {
  EXPECT_EQ(absent_variable("NCCL_SHM_USE_CUDA_MEMCPY", 23007),
            "NCCL 2.30.7 does not read NCCL_SHM_USE_CUDA_MEMCPY (2.13.4 to 2.30.4 do)");
  EXPECT_EQ(absent_variable("NCCL_NO_SUCH", 22809), "NCCL 2.28.9 does not read NCCL_NO_SUCH");
}

}  // namespace
}  // namespace dpx::cuda
