#pragma once
// How the double speaks: one line on stderr, and an exit code that no test can miss.
#include <string>

namespace fake {

constexpr int kExitReported = 97;  ///< a run in which something was reported, whatever it returned itself

/// Prints `fakecuda: TEXT` once per text and makes the process end with kExitReported.
void report(const std::string& text);

/// The same for what the program cannot go on after.
[[noreturn]] void stop(const std::string& text);

/// `dpx::cuda::fill<float>` from `_ZN3dpx4cuda4fillIfEEv...`; other text unchanged.
std::string readable(const char* mangled);

}  // namespace fake

/// Ends the process by name: `function` of `library` is exported by the real library and not faked.
extern "C" [[noreturn]] void fake_unfaked(const char* function, const char* library);
