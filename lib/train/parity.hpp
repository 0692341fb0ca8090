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
  std::string engine;                ///< rank 0's
  bool replicas_equal() const;
};

/// How much of an update rounding may change, by the precision of the engine's products.
struct RoundingLimits {
  double tensor_ulps = 8;   ///< 1 against k devices: of each tensor's largest update
  double ratio_tol = 1e-5;  ///< 1 against k devices: of the ratio of update norms
  double engine_share = 0;  ///< against another engine: part of the largest update, where that is more
  /// `math` is fp32 or tf32. TF32 keeps 10 bits of a factor where fp32 keeps 23, so its ulps are 2^13 times
  /// as large. Between engines that is not all: a rounded activation may cross ReLU's kink and take an
  /// example's whole share of a gradient with it. With factors rounded so and all else in float64, updates
  /// differed by up to 0.017 of the largest (batches of 2 to 32, 30 seeds each); 2^-4 is allowed.
  static RoundingLimits of(std::string_view math);
  /// Largest difference from the update of an engine that sums in another order: 2^-27, which is 8 ulps at
  /// the default batch and rate; 8 ulps where updates are larger. fp32, too, meets kinks: about one seed in
  /// eight has an activation so near 0 that both engines may differ by some 10 times this.
  double engine_tol(double max_abs_update) const;
};

/// How one tensor's updates differ between 1 and k devices.
struct TensorParity {
  std::string_view name;
  double max_abs_update = 0, max_abs_diff = 0;
  double ulps = 0;  ///< max_abs_diff in units of the last place of max_abs_update
  double tol = 0;  ///< rounding's share: `tensor_ulps` of the largest update + 1 ulp of the largest parameter
  bool finite = true;
  bool passed = false;
};

struct ParityReport {
  std::vector<TensorParity> tensors;
  double max_abs_update = 0, max_abs_diff = 0, norm_ratio = 0;
  bool finite = true;
  bool replicas_equal = false;
  bool passed = false;  ///< every tensor within tol, norm ratio within ratio_tol of 1, replicas equal
};

/// One step over the first `batch` of `examples` on the devices of `group`, from `start`.
StepResult take_step(Group& group, Backend& backend, const LeNet& model, const StepOptions& options,
                     const std::vector<float>& start, const Examples& examples, std::size_t batch);

/// Updates (after - `start`) of one and of k devices, tensor by tensor, in float64.
ParityReport compare_steps(const LeNet& model, const std::vector<float>& start, const StepResult& one,
                           const StepResult& many, const RoundingLimits& limits = {});

/// Distance from |x| to the next larger fp32 number; that of the smallest normal number below it.
double ulp_of(double x);

}  // namespace dpx
