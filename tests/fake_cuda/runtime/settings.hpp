#pragma once
// What the environment asks of the double. See README.md of this folder for the names.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fake {

enum class Policy { lazy, eager, random };
enum class Peer { on, off, corrupt };

/// What a fake GPU says of itself.
struct Model {
  std::string name = "Fake GPU";
  int capability = 90;      ///< 10 major + minor
  int multiprocessors = 2;  ///< few, so that grids are small too
  std::size_t memory_bytes = 0;
};

struct Settings {
  std::vector<int> gpus;      ///< visible ordinal -> physical ordinal
  std::vector<Model> models;  ///< by visible ordinal
  int driver = 0;             ///< newest CUDA that the driver serves, 1000 major + 10 minor; 0: no driver
  bool driver_is_too_old() const;
  Policy policy = Policy::lazy;
  std::uint64_t seed = 1;
  bool races = true;
  bool check_twins = false;  ///< report kernels without twin before they are launched
  Peer peer = Peer::on;
  std::size_t memory_bytes = 0;  ///< of the pinned arena, and of each GPU whose model says nothing else
  std::vector<std::string> twins;
};

/// Read once. Errors: a value that is not understood ends the process with its name.
const Settings& settings();

/// The code that DPX_FAKE_FAIL wants this call of `function` to return; 0 for none. Counts the call.
int injected_failure(const char* function);

}  // namespace fake
