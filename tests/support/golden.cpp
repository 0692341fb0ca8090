#include "tests/support/golden.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "lib/model/lenet.hpp"
#include "tests/support/data_files.hpp"

namespace dpx::test {
namespace {

static_assert(std::endian::native == std::endian::little, "the gradient files are little-endian");

/// Weights of standard deviation sqrt(2/fan_in) instead of 0.01; the same roundings as in
/// scripts/golden_reference.py.
void scale_weights(std::vector<float>& params, const nlohmann::json& tensors) {
  const LeNet model;
  for (std::size_t t = 0; t < model.tensors().size(); ++t) {
    if (tensors[t]["fan_in"].is_null()) continue;
    const double factor = std::sqrt(2.0 / tensors[t]["fan_in"].get<double>()) / 0.01;
    const Range range = model.tensors()[t].elements;
    for (std::size_t i = range.first; i < range.end(); ++i) params[i] = float(double(params[i]) * factor);
  }
}

}  // namespace

GoldenCase load_golden(const std::string& name) {
  const std::filesystem::path directory = std::filesystem::path(DPX_SOURCE_DIR) / "tests" / "golden";
  GoldenCase golden{nlohmann::json::parse(read_file(directory / (name + ".json"))), {}, {}};
  golden.params = initial_params(LeNet(), golden.json["seed"]);
  if (golden.json["weight_scale"] != "none") scale_weights(golden.params, golden.json["tensors"]);
  const std::string bytes = read_file(directory / golden.json["gradients"]["file"].get<std::string>());
  golden.gradients.resize(golden.json["gradients"]["count"]);
  if (bytes.size() != golden.gradients.size() * sizeof(float))
    throw std::runtime_error(name + ": the gradient file has " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(golden.gradients.data(), bytes.data(), bytes.size());
  return golden;
}

}  // namespace dpx::test
