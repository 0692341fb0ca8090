#pragma once
// One run of one command, from its checked options to its record and exit code.
#include "apps/arguments.hpp"
#include "lib/core/error.hpp"

namespace dpx {

/// Gives `slot` its values: flag before --set before --config before default; then checks across fields.
/// Errors: Exit::usage.
void apply_values(Slot& slot, const Arguments& arguments);

/// Checks the output, runs, writes the record and prints its path.
/// Errors: of the output's check. Everything later is reported on stderr and returned as exit code.
Exit run_session(Slot& slot);

/// One line on stderr.
void report(const std::string& message);

/// Hands `text` to stdout. Errors: Exit::cannot_write.
void print(const std::string& text);

}  // namespace dpx
