// Sizes of LeNet at several widths, and its initial parameters.
#include "lib/model/lenet.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/core/philox.hpp"

namespace dpx {
namespace {

TEST(LeNet, IsTheChaptersModelAtWidthOne) {
  const LeNet model;
  EXPECT_EQ(model.num_params(), 129'068u);
  ASSERT_EQ(model.tensors().size(), std::size_t{LeNet::kNumTensors});
  const std::size_t bytes[] = {720, 80, 100'000, 200, 409'600, 512, 5'120, 40};
  std::size_t next = 0;
  for (std::size_t t = 0; t < model.tensors().size(); ++t) {
    const ParamTensor& tensor = model.tensors()[t];
    EXPECT_EQ(tensor.elements.count * sizeof(float), bytes[t]) << tensor.name;
    EXPECT_EQ(tensor.elements.first, next) << tensor.name;
    next = tensor.elements.end();
  }
  EXPECT_EQ(model.tensors()[LeNet::conv2_w].shape, (std::vector<int>{50, 20, 5, 5}));
  EXPECT_EQ(model.tensors()[LeNet::fc1_w].shape, (std::vector<int>{800, 128}));
  EXPECT_EQ(model.forward_macs(), 2'250'360);
  EXPECT_EQ(model.training_macs(), 6'629'400);
}

TEST(LeNet, GrowsWithWidthAsThePolynomialsSay) {
  for (int w : {1, 2, 3, 4, 8, 16}) {
    const LeNet model(w);
    EXPECT_EQ(std::int64_t(model.num_params()), 127'400ll * w * w + 1'658 * w + 10);
    EXPECT_EQ(model.forward_macs(), 2'127'400ll * w * w + 122'960 * w);
  }
}

TEST(InitialParams, WeightsAreSmallNormalNumbersAndBiasesZero) {
  const LeNet model;
  const auto params = initial_params(model, 0);
  ASSERT_EQ(params.size(), model.num_params());
  for (const ParamTensor& tensor : model.tensors()) {
    double sum = 0, squares = 0;
    for (std::size_t i = tensor.elements.first; i < tensor.elements.end(); ++i) {
      sum += params[i];
      squares += double(params[i]) * params[i];
    }
    const double n = double(tensor.elements.count);
    if (tensor.shape.size() == 1) {
      EXPECT_EQ(squares, 0) << tensor.name;
    } else {
      EXPECT_NEAR(sum / n, 0, 5 * 0.01 / std::sqrt(n)) << tensor.name;
      EXPECT_NEAR(std::sqrt(squares / n), 0.01, 5 * 0.01 / std::sqrt(2 * n)) << tensor.name;
    }
  }
}

TEST(InitialParams, DependOnSeedAndPositionOnly) {
  const LeNet model;
  const auto params = initial_params(model, 5);
  EXPECT_EQ(initial_params(model, 5), params);
  EXPECT_NE(initial_params(model, 6), params);
  // Any value can be drawn alone, in any order: that of fc1.weight first and last, then of conv1.weight.
  for (const auto& [tensor, index] :
       {std::pair{LeNet::fc1_w, 102'399u}, {LeNet::fc1_w, 0u}, {LeNet::conv1_w, 179u}})
    EXPECT_EQ(params[model.range(tensor).first + index], float(0.01 * philox_normal(5, tensor, index)));
}

TEST(InitialParams, DifferBetweenTensors) {
  const LeNet model;
  const auto params = initial_params(model, 0);
  EXPECT_NE(params[model.range(LeNet::conv1_w).first], params[model.range(LeNet::conv2_w).first]);
}

}  // namespace
}  // namespace dpx
