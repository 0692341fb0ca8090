#include "tests/fake_cuda/runtime/report.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>

namespace fake {
namespace {

void print(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "fakecuda: %s\n", text.c_str());
}

void end_with_reported() {
  std::fflush(nullptr);
  _exit(kExitReported);
}

}  // namespace

void report(const std::string& text) {
  static std::set<std::string> said;
  if (said.empty()) std::atexit(end_with_reported);
  if (said.insert(text).second) print(text);
}

void stop(const std::string& text) {
  print(text);
  end_with_reported();
  std::abort();
}

std::string readable(const char* mangled) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  if (!demangled) return mangled;
  std::string name = demangled;
  std::free(demangled);
  const std::size_t arguments = name.find('(');
  if (arguments != std::string::npos) name.resize(arguments);
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name;
}

}  // namespace fake

extern "C" void fake_unfaked(const char* function, const char* library) {
  std::fflush(stdout);
  std::fprintf(stderr, "fakecuda: %s of %s is not faked\n", function, library);
  std::abort();
}
