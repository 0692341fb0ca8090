#pragma once
// How explanations are printed and recorded; train, scaling-sweep and explain share it.
#include <ostream>

#include "lib/explain/explain.hpp"
#include "lib/explain/from_record.hpp"

namespace dpx {

/// Title ("where a step on 2 devices goes: strong scaling, batch 256"), waterfall, binding term, what would
/// change it, and what cannot be told.
void print_explanation(std::ostream& out, const StepFacts& facts, const Explanation& explanation);

/// {"binding", "headline", "speedup", "efficiency", "losses_s": {...}, "changes": {key: number},
/// "cannot_tell"}.
Json explanation_json(const Explanation& explanation);

}  // namespace dpx
