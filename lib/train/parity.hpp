#pragma once
// Parity: do k devices take the same step as one? Compares the updates of two runs from the same start.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/backend/backend.hpp"
#include "lib/comm/group.hpp"
#include "lib/data/dataset.hpp"
#include "lib/train/step_options.hpp"

namespace dpx {

/// The outcome of one step.
struct StepResult {
  std::vector<float> params;          ///< rank 0's, after the step
  std::vector<std::uint64_t> hashes;  ///< every rank's parameters after the step
  std::vector<std::size_t> shard_sizes;
  double loss = 0;                   ///< mean over the batch, before the step
  std::string algorithm, transport;  ///< read back from the reducer
  bool replicas_equal() const;
};

/// How one tensor's updates differ between 1 and k devices.
struct TensorParity {
  std::string_view name;
  double max_abs_update = 0, max_abs_diff = 0;
  double ulps = 0;  ///< max_abs_diff in units of the last place of max_abs_update
  double tol = 0;   ///< rounding's share: 8 ulps of the largest update + 1 ulp of the largest parameter
  bool passed = false;
};

struct ParityReport {
  std::vector<TensorParity> tensors;
  double max_abs_update = 0, max_abs_diff = 0, norm_ratio = 0;
  bool replicas_equal = false;
  bool passed = false;  ///< every tensor within tol, norm ratio within kRatioTol of 1, replicas equal
  static constexpr double kRatioTol = 1e-5;
};

/// One step over the first `batch` of `examples` on the devices of `group`, from `start`.
StepResult take_step(Group& group, Backend& backend, const LeNet& model, const StepOptions& options,
                     const std::vector<float>& start, const Examples& examples, std::size_t batch);

/// Updates (after - `start`) of one and of k devices, tensor by tensor, in float64.
ParityReport compare_steps(const LeNet& model, const std::vector<float>& start, const StepResult& one,
                           const StepResult& many);

/// Distance from |x| to the next larger fp32 number; that of the smallest normal number below it.
double ulp_of(double x);

}  // namespace dpx
