#include "kernels/backends.hpp"

#include "kernels/cpu/cpu_backend.hpp"
#include "lib/core/error.hpp"

namespace dpx {

std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (name == "cuda")
    throw Error(Exit::unavailable,
                "--backend cuda: this dpx was built without CUDA; --backend cpu works here");
  return make_cpu_backend();
}

}  // namespace dpx
