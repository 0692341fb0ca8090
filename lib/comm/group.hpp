#pragma once
// Group: the devices that train or reduce together; rank r is device r.
#include <memory>
#include <utility>
#include <vector>

#include "lib/device/device.hpp"

namespace dpx {

class Group {
 public:
  explicit Group(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {}
  int size() const { return int(devices_.size()); }
  Device& device(int rank) { return *devices_[std::size_t(rank)]; }
  std::vector<DeviceInfo> infos() const {
    std::vector<DeviceInfo> infos;
    for (const auto& device : devices_) infos.push_back(device->info());
    return infos;
  }
  /// Waits for every device. Errors: throws the first sticky error, after all devices have come to rest.
  void synchronize();
  /// Waits for every device and ignores failures; for destructors, before buffers in use are freed.
  void drain() noexcept;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace dpx
