#include "lib/core/variable_settings.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

std::vector<std::string> texts_of(const std::string& text) {
  std::vector<std::string> texts;
  for (const VariableSetting& setting : parse_variable_settings(text, "NCCL_"))
    texts.push_back(setting.text());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(VariableSettings, ACommaStartsTheNextOne) {
  EXPECT_EQ(texts_of("NCCL_PROTO=LL"), (Texts{"NCCL_PROTO=LL"}));
  EXPECT_EQ(texts_of("NCCL_PROTO=LL,NCCL_P2P_DISABLE=1"), (Texts{"NCCL_PROTO=LL", "NCCL_P2P_DISABLE=1"}));
}

TEST(VariableSettings, PlusSetsTogether) {
  const auto settings = parse_variable_settings("NCCL_A=1+NCCL_B=2,NCCL_A=3", "NCCL_");
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].variables,
            (std::vector<std::pair<std::string, std::string>>{{"NCCL_A", "1"}, {"NCCL_B", "2"}}));
  EXPECT_EQ(settings[1].text(), "NCCL_A=3");
}

TEST(VariableSettings, AValueAloneIsTheLastVariablesNext) {
  EXPECT_EQ(texts_of("NCCL_PROTO=LL,LL128,Simple"),
            (Texts{"NCCL_PROTO=LL", "NCCL_PROTO=LL128", "NCCL_PROTO=Simple"}));
  EXPECT_EQ(texts_of("NCCL_A=1+NCCL_B=2,3"), (Texts{"NCCL_A=1+NCCL_B=2", "NCCL_A=1+NCCL_B=3"}));
}

TEST(VariableSettings, ABackslashKeepsACommaInAValue) {
  const auto settings = parse_variable_settings("NCCL_ALGO=Ring\\,Tree,NVLS\\+x", "NCCL_");
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].variables[0].second, "Ring,Tree");
  EXPECT_EQ(settings[1].variables[0].second, "NVLS+x");
}

TEST(VariableSettings, RefusesWhatIsNoSetting) {
  const auto refusal = [](const std::string& text) {
    return test::error_of([&] { parse_variable_settings(text, "NCCL_"); });
  };
  EXPECT_EQ(refusal("PATH=/x"), "'PATH=/x': 'PATH' is no variable NCCL_*");
  EXPECT_EQ(refusal("NCCL_PROTO"), "'NCCL_PROTO': no '=' in it");
  EXPECT_EQ(refusal("NCCL_PROTO="), "'NCCL_PROTO=': no value in it");
  EXPECT_EQ(refusal("NCCL_A=1+NCCL_A=2"), "'NCCL_A=2': NCCL_A is set twice in one setting");
  EXPECT_EQ(refusal("NCCL_A=1,NCCL_A=1"), "'NCCL_A=1': is there twice");
  for (const char* wrong : {"", ",", "NCCL_A=1,", "NCCL_A=1+", "NCCL_A=1+2", "NCCL_=1", "nccl_a=1", "=1",
                            "NCCL_A =1", "LD_PRELOAD=x,NCCL_A=1"})
    EXPECT_NE(refusal(wrong), "") << wrong;
}

}  // namespace
}  // namespace dpx
