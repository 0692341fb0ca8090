#pragma once
// The values of scripts/golden.py in tests/golden/.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dpx::test {

/// One case: logits, losses, gradients and SGD losses of LeNet at `params` on the first examples of "normal"
/// data.
struct GoldenCase {
  nlohmann::json json;           ///< see make_case in scripts/golden.py
  std::vector<float> params;     ///< (129068), as dpx draws them, scaled where the case says so
  std::vector<float> gradients;  ///< (129068), of the sum of the n losses
};

/// Loads case "lenet_seed0" (weights as the chapter starts) or "lenet_seed0_he" (weights of size
/// sqrt(2/fan_in)).
GoldenCase load_golden(const std::string& name);

}  // namespace dpx::test
