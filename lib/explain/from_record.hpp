#pragma once
// The facts about a step that the records of train and scaling-sweep carry.
#include <string>
#include <vector>

#include "lib/core/fields.hpp"
#include "lib/explain/step_facts.hpp"

namespace dpx {

/// One step that a record can explain.
struct RecordedStep {
  Json key;  ///< the case's: {"mode": "strong", "gpus": 2, ...}; of train: {"gpus": 2, "batch": 256}
  StepFacts facts;
};

/// train: the mean step of all whole epochs but the first (of the first where there is no other).
/// scaling-sweep: every measured step, in the order of the record, beside the one on one device.
/// `where` starts the message of a refusal. Errors: Exit::usage: a record of another command, no finished
/// step in it, or a number missing.
std::vector<RecordedStep> recorded_steps(const Json& record, const std::string& where);

/// Constants that another record has fitted.
struct StepConstants {
  std::optional<double> alpha_s, beta_Bps, t0_s, c_s_per_example;
};
/// Gives `facts` the constants that it has not; with t0 and c it can be compared with one device as
/// predicted.
void apply_constants(StepFacts& facts, const StepConstants& constants);

}  // namespace dpx
