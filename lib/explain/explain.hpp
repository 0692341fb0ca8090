#pragma once
// explain: why k devices are, or are not, k times as fast as one, from one measured step.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/explain/step_facts.hpp"

namespace dpx {

/// What keeps the step from shrinking k times.
enum class Binding {
  pays,           ///< little enough does: efficiency of kPaysEfficiency or more
  compute,        ///< what every device does in full, however small its shard
  latency,        ///< starts of messages
  bandwidth,      ///< bytes of messages
  communication,  ///< the two together, where they cannot be told apart
  data,
  straggler,
  unknown  ///< the measurement cannot tell
};
/// "compute does not shrink", "latency", ..., "cannot tell".
std::string_view name_of(Binding binding);

/// With less than a quarter of the step lost, k devices pay.
inline constexpr double kPaysEfficiency = 0.75;

/// Seconds by which one cause makes the step longer than 1/k of the step on one device (weak scaling: than
/// that step itself).
struct Loss {
  Binding cause;
  double lost_s;
};

/// An answer to "what would change it", in words and as a number for the record.
struct Change {
  std::string key;  ///< "break_even_bandwidth_Bps"
  std::optional<double> value;
  std::string text;
};

struct Explanation {
  Binding binding = Binding::unknown;
  std::string headline;              ///< the binding term with its arithmetic, one sentence
  std::optional<double> speedup;     ///< weak scaling: of the throughput
  std::optional<double> efficiency;  ///< speedup / k
  std::vector<Loss> losses;          ///< known ones, largest first
  std::vector<Change> changes;
  std::vector<std::string> cannot_tell;
  void doubt(std::string_view what);  ///< adds to cannot_tell
};

/// Explains a step. Never throws on numbers: what is missing is said in `cannot_tell`.
Explanation explain(const StepFacts& facts);

/// What would change the outcome, with numbers: break-even bandwidth, batch and width, best k, one buffer
/// instead of many, equal ranks. Only what the facts carry; the others go to `cannot_tell`.
void add_changes(const StepFacts& facts, Explanation& out);

}  // namespace dpx
