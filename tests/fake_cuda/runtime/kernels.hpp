#pragma once
// Kernels of the program (registered by nvcc's start-up code) and their twins (registered by twin libraries),
// matched by mangled name; and the machine that runs a twin.
#include <vector_types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fake_cuda/device/registration.hpp"
#include "tests/fake_cuda/runtime/operation.hpp"

namespace fake {

struct Kernel {
  std::string mangled, name;
  void* twin = nullptr;  ///< null: no twin
  FakeThunk thunk = nullptr;
  std::vector<std::size_t> argument_bytes = {};
};

class Kernels {
 public:
  /// The entry for `mangled`, made if new.
  Kernel& named(const std::string& mangled);
  void register_host(const void* host, const std::string& mangled);
  /// Null when the program has no kernel at `host`.
  Kernel* of_host(const void* host);
  /// Names of the program's kernels that have no twin.
  std::vector<std::string> without_twin() const;

 private:
  std::map<std::string, Kernel> by_name_;
  std::map<const void*, Kernel*> by_host_;
};

Kernels& kernels();

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes;
};

using Arguments = std::vector<std::vector<std::max_align_t>>;  ///< a copy of each argument

/// Runs every block of the kernel, one after the other, each thread as a fiber.
void run_kernel(const Kernel& kernel, const LaunchShape& shape, const Arguments& arguments);

}  // namespace fake
