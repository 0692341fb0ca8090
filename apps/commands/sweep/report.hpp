#pragma once
// Tables and cases of dpx scaling-sweep.
#include <ostream>

#include "apps/commands/sweep/sweep_fit.hpp"
#include "apps/experiment.hpp"

namespace dpx {

void print_sweep_head(Run& run, const SweepOptions& options, const SweepMeasurement& measured);
/// Passes over shard sizes beside t0 + c b, and allreduces over sizes beside their closed form; with cases.
void report_compute_fit(Run& run, const SweepMeasurement& measured, const SweepFit& fit);
void report_reduce_fit(Run& run, const SweepMeasurement& measured, const SweepFit& fit);

/// Steps measured beside predicted, with the binding term of each; then the explanation of the strong step on
/// most devices (else of the last weak one). Cases, verdict.fit and verdict.explanation.
void report_steps(Run& run, const SweepOptions& options, const SweepMeasurement& measured,
                  const SweepFit& fit, const std::vector<StepRow>& rows);

/// Cases of an interrupted sweep: the samples there are, and nothing that a fit would have to give.
void report_interrupted(Run& run, const SweepMeasurement& measured, const std::vector<StepRow>& rows);

}  // namespace dpx
