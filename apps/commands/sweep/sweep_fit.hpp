#pragma once
// The constants that a sweep fits, and the step that they predict.
#include <map>
#include <optional>

#include "apps/commands/sweep/measurement.hpp"
#include "lib/comm/cost_model/step_cost.hpp"
#include "lib/measure/fits.hpp"
#include "lib/record/record.hpp"

namespace dpx {

/// Of one width on one device: t0 + c b, each part on its own.
struct WidthFit {
  Fit compute;              ///< forward + backward: p = t0, q = c
  std::optional<Fit> data;  ///< gathering and normalising; empty where the engine counts none
  double update_s = 0;      ///< median
  std::size_t num_params = 0;
};

/// A predicted step. Units: seconds.
struct PredictedStep {
  double compute_s = 0, data_s = 0, update_s = 0;
  CommTime comm;
  double total_s() const { return compute_s + data_s + update_s + comm.total_s(); }
};

struct SweepFit {
  std::map<int, WidthFit> widths;
  std::optional<Fit> link;  ///< p = alpha, q = 1 / beta; empty without a k above 1
  Wiring wiring = Wiring::full_duplex;

  AlphaBeta alpha_beta() const;
  PredictedStep predict(const StepRow& row, const StepPoint& point) const;
};

/// Fits all medians. Errors: Exit::check_failed with the counts where there are too few points.
SweepFit fit_sweep(const SweepMeasurement& measured, Wiring wiring);

/// The lower quartile of an allreduce point's samples: a rank that the machine holds up is a straggler, which
/// a step shows by itself, and no cost of the link. Units: seconds.
double unhindered_s(const ReducePoint& point);

/// The terms of one allreduce point's closed form.
CommTerms terms_of(const ReducePoint& point, Wiring wiring);

/// verdict.fit: what `model --from` reads for the first width of `options`, and per width what explain reads.
Json fit_json(const SweepFit& fit, const SweepOptions& options);

}  // namespace dpx
