#pragma once
// Weak scaling's other half: does training at the k times larger batch reach the same accuracy?
#include "apps/commands/sweep/options.hpp"
#include "apps/experiment.hpp"
#include "lib/data/dataset.hpp"

namespace dpx {

/// Trains every weak row at the given rate and at k times it, once per seed from the same start and in the
/// same order of examples, and compares test accuracies by seed. Ctrl-C keeps the finished trainings.
void train_weak(Run& run, const SweepOptions& options, Backend& backend, const Dataset& data,
                const std::vector<StepRow>& rows);

}  // namespace dpx
