#pragma once
// The shell around every command: options, config, record, exit code.
#include <vector>

#include "apps/experiment.hpp"

namespace dpx {

/// Runs `program COMMAND OPTIONS...` and returns the process's exit code. Throws nothing.
/// Values: flag before --set before --config before default.
int run_cli(int argc, const char* const* argv, const std::vector<Command>& commands);

}  // namespace dpx
