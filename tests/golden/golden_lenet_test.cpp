// Engine and trainer against the float64 reference of scripts/golden.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/train/resident_data.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/one_step.hpp"
#include "tests/support/reference_lenet.hpp"

namespace dpx {
namespace {

class GoldenLeNet : public testing::TestWithParam<const char*> {
 protected:
  LeNet model_;
  test::GoldenCase golden_ = test::load_golden(GetParam());
  Examples examples_ = load_dataset("normal", golden_.json["seed"].get<std::uint64_t>(), 96).train;
};

TEST_P(GoldenLeNet, GradientsAndLosses) {
  const auto& json = golden_.json;
  const auto n = json["n"].get<std::size_t>();
  const test::GradientResult found =
      test::gradient_of(model_, golden_.params, examples_, test::first_rows(n));
  const std::vector<float>& expected = golden_.gradients;
  const std::vector<double> wide(expected.begin(), expected.end());
  for (const test::TensorError& e : test::tensor_errors(model_, wide, found.gradient))
    EXPECT_LE(e.relative, 3e-6) << e.name;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(found.losses[i], json["losses"][i].get<double>(), 2e-6 * json["losses"][i].get<double>());
    const auto logits = json["logits"][i].get<std::vector<double>>();
    const auto best = std::size_t(std::max_element(logits.begin(), logits.end()) - logits.begin());
    EXPECT_EQ(found.correct[i] == 1, best == json["labels"][i].get<std::size_t>());
  }
}

TEST_P(GoldenLeNet, LossesOfTheFirstThreeSteps) {
  const auto& sgd = golden_.json["sgd"];
  const auto batch = sgd["batch"].get<std::size_t>();
  StepOptions options;
  options.lr = sgd["lr"].get<double>();
  for (int k : {1, 2, 3}) {
    const auto backend = make_backend("cpu");
    Group group(backend->open({k, 1}));
    DataParallel replicas(group, *backend, model_, options, batch);
    replicas.set_params(golden_.params);
    ResidentData data(group, examples_, batch);
    data.set_order(test::first_rows(96));
    for (std::size_t step = 0; step < 3; ++step) replicas.step(data.work(step));
    group.synchronize();
    const ScoreTotals totals = data.totals(3);
    for (std::size_t step = 0; step < 3; ++step) {
      const double expected = sgd["mean_losses"][step].get<double>();
      EXPECT_NEAR(totals.batch_losses[step], expected, 3e-6 * expected) << "k = " << k << ", step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenLeNet, testing::Values("lenet_seed0", "lenet_seed0_he"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace dpx
