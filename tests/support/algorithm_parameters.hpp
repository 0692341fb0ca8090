#pragma once
// Parameters of the tests that run over every algorithm and world size, and their names: letters, digits,
// underscores.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <tuple>
#include <vector>

#include "lib/comm/schedule.hpp"

namespace dpx::test {

using AlgorithmAndK = std::tuple<std::string, int>;

/// Every algorithm at every k of 1..max_k that it has; the parameter server also with 2, 2 + step, ... <= k
/// servers; star and tree also pipelined.
inline std::vector<AlgorithmAndK> algorithms_up_to(int max_k, int server_step) {
  std::vector<AlgorithmAndK> all;
  for (int k = 1; k <= max_k; ++k) {
    for (const std::string& name : schedule_names())
      if (name != "halving-doubling" || (k & (k - 1)) == 0) all.emplace_back(name, k);
    for (int servers = 2; servers <= k; servers += server_step)
      all.emplace_back("parameter-server:" + std::to_string(servers), k);
    for (const char* pipelined : {"star:3", "tree:4"}) all.emplace_back(pipelined, k);
  }
  return all;
}

/// For the symbolic tests: many server counts.
inline std::vector<AlgorithmAndK> all_schedules() {
  return algorithms_up_to(17, 3);
}

/// For the tests on devices, which take longer: two servers only.
inline std::vector<AlgorithmAndK> all_reducers(int max_k) {
  return algorithms_up_to(max_k, max_k);
}

/// "halving-doubling", 4 -> "halving_doubling_k4"
inline std::string algorithm_and_k(const testing::TestParamInfo<AlgorithmAndK>& parameter) {
  std::string name = std::get<0>(parameter.param) + "_k" + std::to_string(std::get<1>(parameter.param));
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace dpx::test
