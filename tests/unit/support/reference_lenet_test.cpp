// The reference itself: finite differences, and faults that the comparison must notice.
#include "tests/support/reference_lenet.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/engine_case.hpp"

namespace dpx {
namespace {

using test::EngineCase;
using test::Init;
using test::ReferenceLeNet;

TEST(ReferenceLeNet, GradientIsTheSlopeOfTheLoss) {
  for (const int width : {1, 2}) {
    const EngineCase c(width, 2, Init::he, DType::f32);
    ReferenceLeNet reference(c.model, c.params);
    std::vector<double> grads(c.model.num_params(), 0.0);
    const std::vector<double> image = c.image(0);
    reference.forward_backward(image, c.label(0), grads);
    for (const ParamTensor& t : c.model.tensors())
      for (const double position : {0.0, 0.3, 0.71, 0.999}) {
        const std::size_t i = t.elements.first + std::size_t(position * double(t.elements.count));
        double& parameter = reference.params()[i];
        const double middle = parameter, step = 1e-6;
        parameter = middle + step;
        const double above = reference.forward(image, c.label(0)).loss;
        parameter = middle - step;
        const double below = reference.forward(image, c.label(0)).loss;
        parameter = middle;
        EXPECT_NEAR(grads[i], (above - below) / (2 * step), 1e-6 * (1 + std::abs(grads[i])))
            << t.name << " " << i;
      }
  }
}

TEST(ReferenceLeNet, LogitsGiveTheLoss) {
  const EngineCase c(1, 1, Init::he, DType::u8);
  const auto result = ReferenceLeNet(c.model, c.params).forward(c.image(0), c.label(0));
  double sum = 0;
  for (double z : result.logits) sum += std::exp(z);
  EXPECT_NEAR(result.loss, -std::log(std::exp(result.logits[std::size_t(c.label(0))]) / sum), 1e-12);
}

TEST(TensorErrors, PlantedFaultsAreSeen) {
  const EngineCase c(1, 1, Init::he, DType::u8);
  std::vector<double> expected(c.model.num_params(), 0.0);
  ReferenceLeNet(c.model, c.params).forward_backward(c.image(0), c.label(0), expected);
  const std::vector<float> exact(expected.begin(), expected.end());
  EXPECT_LE(test::worst_error(c.model, expected, exact).relative, 6e-8);  // rounding to fp32 only
  for (int t = 0; t < LeNet::kNumTensors; ++t) {
    const Range r = c.model.range(LeNet::Tensor(t));
    const ParamTensor& tensor = c.model.tensors()[std::size_t(t)];
    std::size_t largest = r.first;
    for (std::size_t i = r.first; i < r.end(); ++i)
      if (std::abs(expected[i]) > std::abs(expected[largest])) largest = i;
    for (const float fault : {0.0f, -exact[largest], exact[largest] * 1.00001f, std::nanf("")}) {
      std::vector<float> wrong = exact;
      wrong[largest] = fault;
      const test::TensorError worst = test::worst_error(c.model, expected, wrong);
      EXPECT_GT(worst.relative, 3e-6) << tensor.name << " " << fault;
      EXPECT_EQ(worst.name, tensor.name);
    }
  }
}

}  // namespace
}  // namespace dpx
