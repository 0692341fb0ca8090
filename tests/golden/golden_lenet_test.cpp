// Engine and trainer against the float64 reference of scripts/golden.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/train/resident_data.hpp"
#include "tests/support/one_step.hpp"

namespace dpx {
namespace {

class GoldenLeNet : public testing::TestWithParam<const char*> {
 protected:
  GoldenLeNet() {
    std::ifstream(path(std::string(GetParam()) + ".json")) >> golden_;
    params_ = initial_params(model_, golden_["seed"].get<std::uint64_t>());
    if (golden_["weight_scale"] != "none")
      for (const auto& tensor : golden_["tensors"])
        if (!tensor["fan_in"].is_null()) scale_weights(tensor);
    examples_ = load_dataset("normal", golden_["seed"].get<std::uint64_t>(), 96).train;
  }
  static std::string path(const std::string& file) { return DPX_SOURCE_DIR "/tests/golden/" + file; }
  void scale_weights(const nlohmann::json& tensor) {
    const double scale = std::sqrt(2.0 / tensor["fan_in"].get<double>()) / 0.01;
    for (const ParamTensor& t : model_.tensors())
      if (t.name == tensor["name"].get<std::string>())
        for (std::size_t i = t.elements.first; i < t.elements.end(); ++i)
          params_[i] = float(params_[i] * scale);
  }
  std::vector<float> golden_gradient() const {
    std::vector<float> values(model_.num_params());
    std::ifstream file(path(golden_["gradients"]["file"].get<std::string>()), std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()), std::streamsize(values.size() * sizeof(float)));
    EXPECT_TRUE(file.good());
    return values;
  }

  LeNet model_;
  nlohmann::json golden_;
  std::vector<float> params_;
  Examples examples_;
};

TEST_P(GoldenLeNet, GradientsAndLosses) {
  const auto n = golden_["n"].get<std::size_t>();
  const test::GradientResult found = test::gradient_of(model_, params_, examples_, test::first_rows(n));
  const std::vector<float> expected = golden_gradient();
  for (const ParamTensor& t : model_.tensors()) {
    double largest = 0, error = 0;
    for (std::size_t i = t.elements.first; i < t.elements.end(); ++i) {
      largest = std::max(largest, std::abs(double(expected[i])));
      error = std::max(error, std::abs(double(expected[i]) - double(found.gradient[i])));
    }
    EXPECT_GT(largest, 0) << t.name;
    EXPECT_LE(error, 3e-6 * largest) << t.name;
  }
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(found.losses[i], golden_["losses"][i].get<double>(),
                2e-6 * golden_["losses"][i].get<double>());
    const auto logits = golden_["logits"][i].get<std::vector<double>>();
    const auto best = std::size_t(std::max_element(logits.begin(), logits.end()) - logits.begin());
    EXPECT_EQ(found.correct[i] == 1, best == golden_["labels"][i].get<std::size_t>());
  }
}

TEST_P(GoldenLeNet, LossesOfTheFirstThreeSteps) {
  const auto& sgd = golden_["sgd"];
  const auto batch = sgd["batch"].get<std::size_t>();
  StepOptions options;
  options.lr = sgd["lr"].get<double>();
  for (int k : {1, 2, 3}) {
    const auto backend = make_backend("cpu");
    Group group(backend->open({k, 1}));
    DataParallel replicas(group, *backend, model_, options, batch);
    replicas.set_params(params_);
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
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace dpx
