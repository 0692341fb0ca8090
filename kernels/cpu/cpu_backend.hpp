#pragma once
#include <memory>

#include "lib/backend/backend.hpp"

namespace dpx {

/// Logical devices on the host's processor.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace dpx
