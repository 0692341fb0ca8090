#pragma once
// What a command implements, and what it is given to work with.
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "lib/core/fields.hpp"
#include "lib/core/progress.hpp"
#include "lib/record/record.hpp"

namespace dpx {

/// What a running command writes to.
struct Run {
  Record& record;
  std::ostream& out;  ///< human table and closing lines: stdout, or stderr with --out -
  Progress& progress;
  std::uint64_t seed;  ///< --seed
};

/// One command: options as members, then declare -> check -> run.
class Experiment {
 public:
  virtual ~Experiment() = default;
  /// Declares the options; --config --set --out --force --seed --note --progress --log-level --quiet
  /// --dump-config and
  /// --help belong to the shell.
  virtual void declare(Fields& fields) = 0;
  /// What --out is when it is not given: "" for a file in results/, "none" for no record.
  virtual std::string default_out() const { return ""; }
  /// Closing section of --help: whole lines, or nothing.
  virtual std::string examples() const { return ""; }
  /// Checks across fields, before any work. Errors: Exit::usage.
  virtual void check() {}
  /// Does the work. Long loops ask interrupt_signal() once per step, keep what is finished and return (or
  /// call throw_if_interrupted). Errors: any; cases added before are kept in the record.
  virtual void run(Run& run) = 0;
};

/// One row of the command table.
struct Command {
  std::string_view name, help;
  std::unique_ptr<Experiment> (*make)();
};

}  // namespace dpx
