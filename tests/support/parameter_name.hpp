#pragma once
// Names of parameterised tests: letters, digits and underscores only.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <tuple>

namespace dpx::test {

/// "halving-doubling", 4 -> "halving_doubling_k4"
inline std::string algorithm_and_k(const testing::TestParamInfo<std::tuple<std::string, int>>& parameter) {
  std::string name = std::get<0>(parameter.param) + "_k" + std::to_string(std::get<1>(parameter.param));
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace dpx::test
