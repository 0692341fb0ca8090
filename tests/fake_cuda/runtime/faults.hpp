#pragma once

namespace fake {

/// Installs the handler of page faults.
void catch_faults();

}  // namespace fake
