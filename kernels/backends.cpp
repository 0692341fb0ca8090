#include "kernels/backends.hpp"

#include <spdlog/spdlog.h>

#ifdef DPX_HAVE_CUDA
#include <dlfcn.h>
#endif

#include "kernels/cpu/cpu_backend.hpp"
#include "lib/core/error.hpp"

namespace dpx {
namespace {

/// Null with the reason where CUDA cannot be used.
std::unique_ptr<Backend> try_cuda(std::string& reason) {
#ifdef DPX_HAVE_CUDA
  // Loaded here and not at start, so that dpx runs where no CUDA library is installed.
  void* library = dlopen("libdpx_cuda.so", RTLD_NOW | RTLD_LOCAL);
  using Maker = Backend*(std::string*);
  auto* make = library != nullptr ? reinterpret_cast<Maker*>(dlsym(library, "dpx_cuda_backend")) : nullptr;
  if (make != nullptr) return std::unique_ptr<Backend>(make(&reason));
  const char* error = dlerror();
  reason =
      std::string("the CUDA libraries cannot be loaded: ") + (error != nullptr ? error : "unknown cause");
  return nullptr;
#else
  reason = "this dpx was built without CUDA";
  return nullptr;
#endif
}

}  // namespace

std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (name == "cpu") return make_cpu_backend();
  std::string reason;
  if (auto cuda = try_cuda(reason)) {
    if (name == "auto") spdlog::info("backend cuda: a GPU is visible");
    return cuda;
  }
  if (name == "cuda")
    throw Error(Exit::unavailable, "--backend cuda: " + reason + "; --backend cpu works here");
  spdlog::info("backend cpu: {}", reason);
  return make_cpu_backend();
}

}  // namespace dpx
