// The float64 reference (scripts/golden.py) and dpx draw the same parameters, data and shuffles.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lib/core/philox.hpp"
#include "lib/data/batches.hpp"
#include "lib/data/synthetic.hpp"
#include "lib/model/lenet.hpp"
#include "tests/support/golden.hpp"

namespace dpx {
namespace {

/// Another libm may round log and cos differently in the last place of a double, which moves a float by one
/// ulp at most.
void expect_within_one_ulp(float found, double expected) {
  const float wanted = float(expected);
  EXPECT_GE(found, std::nextafter(wanted, -std::numeric_limits<float>::infinity()));
  EXPECT_LE(found, std::nextafter(wanted, std::numeric_limits<float>::infinity()));
}

class GoldenData : public ::testing::TestWithParam<const char*> {
 protected:
  const test::GoldenCase golden_ = test::load_golden(GetParam());
};

TEST_P(GoldenData, PhiloxWords) {
  for (const auto& sample : golden_.json["samples"]["philox"]) {
    const auto words = philox(sample["seed"], sample["stream"], sample["index"], sample["substream"]);
    EXPECT_EQ(words, (sample["words"].get<std::array<std::uint32_t, 4>>()));
  }
}

TEST_P(GoldenData, ParameterTable) {
  const LeNet model;
  ASSERT_EQ(golden_.json["tensors"].size(), model.tensors().size());
  for (std::size_t t = 0; t < model.tensors().size(); ++t) {
    const auto& expected = golden_.json["tensors"][t];
    EXPECT_EQ(model.tensors()[t].name, expected["name"].get<std::string>());
    EXPECT_EQ(model.tensors()[t].shape, expected["shape"].get<std::vector<int>>());
    EXPECT_EQ(model.tensors()[t].elements.first, expected["first"].get<std::size_t>());
  }
}

TEST_P(GoldenData, InitialParameters) {
  for (const auto& sample : golden_.json["samples"]["params"])
    expect_within_one_ulp(golden_.params.at(sample["index"]), sample["value"]);
}

TEST_P(GoldenData, NormalImagesAndLabels) {
  const Examples examples = normal_examples(96, golden_.json["seed"]);
  for (const auto& sample : golden_.json["samples"]["pixels"])
    expect_within_one_ulp(examples.pixels_f32.at(sample["index"]), sample["value"]);
  EXPECT_EQ(examples.labels, golden_.json["samples"]["labels"].get<std::vector<std::uint8_t>>());
}

TEST_P(GoldenData, ShuffledOrder) {
  const auto& shuffle = golden_.json["samples"]["shuffle"];
  EXPECT_EQ(shuffled_order(shuffle["n"], golden_.json["seed"], shuffle["epoch"]),
            shuffle["order"].get<std::vector<std::int32_t>>());
}

TEST_P(GoldenData, GradientFileBelongsToTheCase) {
  const LeNet model;
  ASSERT_EQ(golden_.gradients.size(), model.num_params());
  for (std::size_t t = 0; t < model.tensors().size(); ++t) {
    double squares = 0;
    const Range range = model.tensors()[t].elements;
    for (std::size_t i = range.first; i < range.end(); ++i)
      squares += std::pow(double(golden_.gradients[i]), 2);
    const double norm = golden_.json["tensors"][t]["gradient_norm"];
    EXPECT_NEAR(std::sqrt(squares), norm, 1e-6 * norm) << model.tensors()[t].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenData, ::testing::Values("lenet_seed0", "lenet_seed0_he"));

}  // namespace
}  // namespace dpx
