#pragma once
// What the environment asks of the double. See README.md of this folder for the names.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fake {

enum class Policy { lazy, eager, random };
enum class Peer { on, off, corrupt };

struct Settings {
  std::vector<int> gpus;  ///< visible ordinal -> physical ordinal
  Policy policy = Policy::lazy;
  std::uint64_t seed = 1;
  bool races = true;
  bool check_twins = false;  ///< report kernels without twin before they are launched
  Peer peer = Peer::on;
  std::size_t memory_bytes = 0;  ///< of each GPU
  std::vector<std::string> twins;
};

/// Read once. Errors: a value that is not understood ends the process with its name.
const Settings& settings();

/// The code that DPX_FAKE_FAIL wants this call of `function` to return; 0 for none. Counts the call.
int injected_failure(const char* function);

}  // namespace fake
