#include "lib/record/environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <regex>

namespace dpx {
namespace {

TEST(Environment, DescribesThisMachine) {
  const Json e = capture_environment();
  EXPECT_GE(e["cores"].get<int>(), 1);
  EXPECT_EQ(e["cores"], available_cores());
  EXPECT_GT(e["memory_bytes"].get<std::int64_t>(), 1 << 20);
  EXPECT_FALSE(e["host"].get<std::string>().empty());
  EXPECT_FALSE(e["versions"]["compiler"].get<std::string>().empty());
  EXPECT_TRUE(e["versions"]["nccl"].is_null());
  EXPECT_TRUE(e["backend"].is_null());
  EXPECT_EQ(e["distinct_devices"], 0);
}

TEST(Environment, KeepsAllowListedVariablesOnly) {
  setenv("DPX_SOME_SETTING", "a=b", 1);
  setenv("SOME_PASSWORD", "secret", 1);
  const Json e = capture_environment();
  unsetenv("DPX_SOME_SETTING");
  unsetenv("SOME_PASSWORD");
  EXPECT_EQ(e["env"]["DPX_SOME_SETTING"], "a=b");
  EXPECT_EQ(e.dump().find("secret"), std::string::npos);
}

TEST(Environment, WritesTimesInUtc) {
  EXPECT_TRUE(std::regex_match(utc_now(), std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
  EXPECT_TRUE(std::regex_match(utc_now(true), std::regex("\\d{8}T\\d{6}Z")));
}

}  // namespace
}  // namespace dpx
