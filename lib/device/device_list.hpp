#pragma once
// --devices: which devices, in words.
#include <string>
#include <vector>

namespace dpx {

/// What "cpu:4", "cuda:0,1", "cuda:0,0" or "0,1" (GPUs) asks for.
struct DeviceList {
  std::string backend;  ///< cpu or cuda
  int count = 0;
  std::vector<int> ordinals;  ///< of GPUs, one per device; an ordinal may be there twice
};

inline constexpr const char* kDeviceListSyntax = "cpu:K or cuda:I,J,...; cuda:0,0 is two replicas on one GPU";

/// Errors: Exit::usage naming the part that is wrong.
DeviceList parse_device_list(const std::string& text);

}  // namespace dpx
