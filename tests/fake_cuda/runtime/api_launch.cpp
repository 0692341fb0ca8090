// Kernel launches, and the registration that nvcc's start-up code does. crt/host_runtime.h declares these for
// nvcc alone.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/faults.hpp"
#include "tests/fake_cuda/runtime/kernels.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"
#include "tests/fake_cuda/runtime/shared_memory.hpp"

using namespace fake;

namespace {

/// The writable part of a twin library holds its __shared__ variables.
int find_statics(dl_phdr_info* info, std::size_t, void* path) {
  if (std::strcmp(info->dlpi_name, static_cast<const char*>(path)) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_W)
      shared_memory().add_static(begin, begin + segment.p_memsz);
  }
  return 1;
}

void start() {
  static const bool once = [] {
    catch_faults();
    for (std::string path : settings().twins) {
      if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) stop(std::string("DPX_FAKE_TWINS: ") + dlerror());
      dl_iterate_phdr(find_statics, path.data());
    }
    return true;
  }();
  (void)once;
}

Arguments copy_arguments(const Kernel& kernel, void** arguments) {
  Arguments copies;
  for (std::size_t i = 0; i < kernel.argument_bytes.size(); ++i) {
    const std::size_t bytes = kernel.argument_bytes[i], unit = sizeof(std::max_align_t);
    copies.emplace_back((bytes + unit - 1) / unit);
    std::memcpy(copies.back().data(), arguments[i], bytes);
  }
  return copies;
}

void launch(const Kernel& kernel, const LaunchShape& shape, void** arguments, cudaStream_t handle) {
  if (!kernel.twin) stop("kernel " + kernel.name + " (" + kernel.mangled + ") has no twin");
  const dim3 grid = shape.grid, block = shape.block;
  const std::size_t threads = std::size_t(block.x) * block.y * block.z;
  require(threads > 0 && threads <= 1024 && block.z <= 64 && grid.x > 0 && grid.y > 0 && grid.z > 0 &&
              grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535 &&
              shape.shared_bytes <= (48u << 10),
          cudaErrorInvalidConfiguration);
  Stream& stream = stream_of(handle, kernel.name.c_str());
  require(stream.device == current_device(), cudaErrorInvalidResourceHandle);
  Operation operation{.kind = Operation::Kind::kernel, .name = kernel.name};
  operation.device = stream.device;
  operation.engine = Engine::compute;
  operation.cost_s = 3e-6;
  operation.body = [&kernel, shape, copies = copy_arguments(kernel, arguments)] {
    run_kernel(kernel, shape, copies);
  };
  scheduler().issue(stream, std::move(operation));
}

struct Configuration {
  LaunchShape shape;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;  ///< between <<<...>>> and the launch

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  start();
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {
  if (!settings().check_twins) return;
  for (const std::string& name : kernels().without_twin()) report("kernel " + name + " has no twin");
}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  kernels().register_host(host, name);
}

void __cudaRegisterVar(void**, char*, char*, const char* name, int, std::size_t, int, int) {
  stop(std::string("device variable ") + name + ": kernels may not have any");
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  configurations.push_back({{grid, block, shared_bytes}, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.shape.grid;
  *block = last.shape.block;
  *shared_bytes = last.shape.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(kernels().of_host(host));
  return remember(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return call("cudaLaunchKernel", [&] {
    launch(*reinterpret_cast<const Kernel*>(kernel), {grid, block, shared_bytes}, arguments, stream);
  });
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return call("cudaLaunchKernel", [&] {
    const Kernel* kernel = kernels().of_host(host);
    require(kernel != nullptr, cudaErrorInvalidDeviceFunction);
    launch(*kernel, {grid, block, shared_bytes}, arguments, stream);
  });
}

}  // extern "C"
