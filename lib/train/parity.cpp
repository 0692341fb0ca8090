#include "lib/train/parity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/train/resident_data.hpp"

namespace dpx {

bool StepResult::replicas_equal() const {
  return std::adjacent_find(hashes.begin(), hashes.end(), std::not_equal_to<>()) == hashes.end();
}

StepResult take_step(Group& group, Backend& backend, const LeNet& model, const StepOptions& options,
                     const std::vector<float>& start, const Examples& examples, std::size_t batch) {
  const std::size_t max_shard = part_of({0, batch}, std::size_t(group.size()), 0).count;
  DataParallel replicas(group, backend, model, options, max_shard);
  replicas.set_params(start);
  ResidentData data(group, examples, batch);
  std::vector<std::int32_t> order(batch);
  std::iota(order.begin(), order.end(), 0);
  data.set_order(std::move(order));
  const std::vector<RankWork> work = data.work(0);
  replicas.step(work);
  group.synchronize();
  StepResult result{replicas.params(0),
                    replicas.param_hashes(),
                    {},
                    data.totals(1).batch_losses.front(),
                    replicas.algorithm(),
                    replicas.transport(),
                    replicas.engine(0).name()};
  for (const RankWork& w : work) result.shard_sizes.push_back(w.shard.size());
  return result;
}

double ulp_of(double x) {
  const float magnitude = std::max(std::abs(float(x)), std::numeric_limits<float>::min());
  return double(std::nextafter(magnitude, std::numeric_limits<float>::infinity())) - double(magnitude);
}

RoundingLimits RoundingLimits::of(std::string_view math) {
  if (math != "tf32") return {};
  return {.tensor_ulps = 8 * 0x1p13, .ratio_tol = 0x1p-10, .engine_share = 0x1p-4};
}

double RoundingLimits::engine_tol(double max_abs_update) const {
  return std::max({0x1p-27, 8 * ulp_of(max_abs_update), engine_share * max_abs_update});
}

ParityReport compare_steps(const LeNet& model, const std::vector<float>& start, const StepResult& one,
                           const StepResult& many, const RoundingLimits& limits) {
  ParityReport report;
  report.replicas_equal = many.replicas_equal();
  report.passed = report.replicas_equal;
  double square_one = 0, square_many = 0;
  for (const ParamTensor& tensor : model.tensors()) {
    TensorParity t{tensor.name};
    double max_param = 0;
    for (std::size_t i = tensor.elements.first; i < tensor.elements.end(); ++i) {
      const double update_one = double(one.params[i]) - double(start[i]);
      const double update_many = double(many.params[i]) - double(start[i]);
      t.finite = t.finite && std::isfinite(update_one) && std::isfinite(update_many);
      t.max_abs_update = std::max(t.max_abs_update, std::abs(update_one));
      t.max_abs_diff = std::max(t.max_abs_diff, std::abs(update_many - update_one));
      max_param = std::max(max_param, std::abs(double(one.params[i])));
      square_one += update_one * update_one;
      square_many += update_many * update_many;
    }
    t.ulps = t.max_abs_diff / ulp_of(t.max_abs_update);
    t.tol = limits.tensor_ulps * ulp_of(t.max_abs_update) + ulp_of(max_param);
    t.passed = t.finite && t.max_abs_diff <= t.tol;
    report.finite = report.finite && t.finite;
    report.max_abs_update = std::max(report.max_abs_update, t.max_abs_update);
    report.max_abs_diff = std::max(report.max_abs_diff, t.max_abs_diff);
    report.passed = report.passed && t.passed;
    report.tensors.push_back(t);
  }
  report.norm_ratio = std::sqrt(square_many / square_one);
  report.passed = report.passed && std::abs(report.norm_ratio - 1) <= limits.ratio_tol;
  return report;
}

}  // namespace dpx
