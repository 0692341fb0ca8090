// The cuDNN and cuBLASLt doubles against plain loops, and the wrong uses that the real ones refuse.
#include <gtest/gtest.h>

#include "tests/fake_cuda/cases/fake_run.hpp"

namespace dpx::test {
namespace {

TEST(FakeCudnn, AgreesWithPlainLoops) {
  expect_clean("cudnn", {});
}

TEST(FakeCudnn, RefusesWrongUse) {
  for (const char* option : {"--small-workspace", "--other-device"}) {
    const Outcome run = run_fake("cudnn", {option});
    EXPECT_EQ(run.exit_code, 3) << option;
    EXPECT_NE(run.out.find("CUDNN_STATUS_BAD_PARAM"), std::string::npos) << run.out;
  }
}

TEST(FakeCudnn, FailsOnDemand) {
  const Outcome run = run_fake("cudnn", {}, {{"DPX_FAKE_FAIL", "cudnnCreate:1:1001"}});
  EXPECT_NE(run.out.find("CUDNN_STATUS_NOT_INITIALIZED"), std::string::npos) << run.out;
}

TEST(FakeCublasLt, AgreesWithPlainLoops) {
  expect_clean("cublaslt", {});
}

TEST(FakeCublasLt, RefusesABrokenPromiseOfAlignment) {
  const Outcome run = run_fake("cublaslt", {"--misaligned"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.out.find("CUBLAS_STATUS_INVALID_VALUE"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace dpx::test
