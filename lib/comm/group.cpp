#include "lib/comm/group.hpp"

#include <exception>

namespace dpx {

void Group::synchronize() {
  std::exception_ptr first;
  for (const auto& device : devices_) {
    try {
      device->synchronize();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Group::drain() noexcept {
  try {
    synchronize();
  } catch (...) {  // reported by whoever synchronised to use a result
  }
}

}  // namespace dpx
