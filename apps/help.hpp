#pragma once
// The texts of --help.
#include <string>
#include <vector>

#include "apps/arguments.hpp"

namespace dpx {

/// Commands and general usage.
std::string help_text(const std::vector<Command>& commands);
/// One command's options, grouped, one line each.
std::string help_text(const Slot& slot);

}  // namespace dpx
