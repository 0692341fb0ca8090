#pragma once
// Composition root: the only place that knows which backends were built.
#include <memory>
#include <string>
#include <vector>

#include "lib/backend/backend.hpp"

namespace dpx {

/// `name` is cpu, cuda or auto (cuda when a device is visible, else cpu).
/// Errors: Exit::unavailable with the reason when that backend is not built or has no device.
std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace dpx
