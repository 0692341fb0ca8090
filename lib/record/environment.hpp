#pragma once
// What a reader needs to judge numbers later: machine, devices, versions, variables.
#include <string>
#include <vector>

#include "lib/core/fields.hpp"
#include "lib/device/device.hpp"

namespace dpx {

/// Machine, versions and allow-listed variables of this process; devices are not known yet (see
/// describe_devices).
Json capture_environment();

/// Writes backend, devices, distinct_devices and emulated (devices that share hardware) into `environment`.
void describe_devices(Json& environment, const std::vector<DeviceInfo>& devices, const std::string& backend);

/// Cores this process may run on; a container's share can be smaller than the machine.
int available_cores();

/// The time now in UTC: "2025-03-01T12:34:56Z", or "20250301T123456Z" where `compact`, for file names.
std::string utc_now(bool compact = false);

}  // namespace dpx
