#pragma once
// The one exception type of dpx: a message for the user and the exit code that the process ends with.
#include <stdexcept>
#include <string>

namespace dpx {

/// Exit codes of the executable; README lists them.
enum class Exit : int {
  ok = 0,            ///< everything asked for was done and checked
  internal = 1,      ///< a fault of dpx itself
  usage = 2,         ///< flag, config key or value refused
  unavailable = 3,   ///< backend, device, transport or device count not available here
  check_failed = 4,  ///< ran, but a check failed; the record is still written
  bad_data = 5,      ///< input data missing or damaged
  cannot_write = 6,  ///< a result could not be written
  interrupted = 130,
  terminated = 143
};

/// One line for the user (the thing, the value found, the values allowed) and the exit code it leads to.
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

}  // namespace dpx
