#pragma once
// Link: what carries out a schedule's transfers. walk() is the one engine that feeds a schedule to a link.
#include "lib/comm/schedule.hpp"

namespace dpx {

class Link {
 public:
  virtual ~Link() = default;
  /// Carries out (or only notes) one transfer; `elements` is the run of the reduced buffer that its chunks
  /// cover.
  virtual void transfer(const Transfer& transfer, Range elements) = 0;
  /// All transfers of the step were handed over.
  virtual void end_step() = 0;
};

/// Hands `schedule`, step by step, to `link` for a buffer run of `elements`. Transfers of no elements are
/// left out.
void walk(const Schedule& schedule, Range elements, Link& link);
/// One step of it, for whoever takes several runs of elements through a schedule in turn.
void walk_step(const Schedule& schedule, int step, Range elements, Link& link);

}  // namespace dpx
