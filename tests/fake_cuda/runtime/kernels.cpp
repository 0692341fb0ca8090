#include "tests/fake_cuda/runtime/kernels.hpp"

#include <dlfcn.h>

#include "tests/fake_cuda/runtime/report.hpp"

namespace fake {

Kernel& Kernels::named(const std::string& mangled) {
  Kernel& kernel = by_name_[mangled];
  if (kernel.mangled.empty()) {
    kernel.mangled = mangled;
    kernel.name = readable(mangled.c_str());
  }
  return kernel;
}

void Kernels::register_host(const void* host, const std::string& mangled) {
  by_host_[host] = &named(mangled);
}

Kernel* Kernels::of_host(const void* host) {
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? nullptr : found->second;
}

std::vector<std::string> Kernels::without_twin() const {
  std::vector<std::string> names;
  for (const auto& [host, kernel] : by_host_)
    if (!kernel->twin) names.push_back(kernel->name + " (" + kernel->mangled + ")");
  return names;
}

Kernels& kernels() {
  static Kernels* instance = new Kernels;
  return *instance;
}

}  // namespace fake

void fake_register_kernel(void* twin, FakeThunk thunk, int count, const std::size_t* argument_bytes) {
  Dl_info info{};
  if (!dladdr(twin, &info) || !info.dli_sname) fake::stop("a twin kernel has no symbol: is it static?");
  fake::Kernel& kernel = fake::kernels().named(info.dli_sname);
  kernel.twin = twin;
  kernel.thunk = thunk;
  kernel.argument_bytes.assign(argument_bytes, argument_bytes + count);
}
