#pragma once
// Why there is no GPU to work on, in one sentence. No CUDA here: tested without a GPU.
#include <string>

namespace dpx::cuda {

/// What the runtime says of driver and devices.
struct DriverFacts {
  int error = 0;           ///< of counting the devices; 0: none
  std::string error_text;  ///< its name and text
  int driver = 0;          ///< newest CUDA that the driver serves, 1000 major + 10 minor; 0: no driver
  int runtime = 0;         ///< CUDA that dpx was built with
  int devices = 0;
  std::string limit = {};  ///< of what is seen: " (CUDA_VISIBLE_DEVICES=3,1)"; empty: none
};

/// Empty where there are devices.
std::string why_no_device(const DriverFacts& facts);

/// "13.0"
std::string version_text(int version);

/// Whether code for `architectures` ("80,90": machine code, and PTX for newer GPUs) runs on a GPU of
/// `capability` (10 major + minor).
bool code_runs_on(const std::string& architectures, int capability);

}  // namespace dpx::cuda
