#pragma once
// What stands in the read-only memory of a loaded library.
#include <string>

namespace dpx::cuda {

/// Whether `text` stands there, ended by a zero byte, in the library or program that `address` lies in.
bool library_holds(const void* address, const std::string& text);

}  // namespace dpx::cuda
