#pragma once
#include <memory>

#include "kernels/cuda/cuda_device.hpp"
#include "lib/model/engine.hpp"

namespace dpx::cuda {

/// LeNet by cuDNN and cuBLASLt with own kernels between, on a GPU; streams handed to it must be CudaStreams.
/// The device must outlive the engine. Errors: Exit::unavailable without the memory.
std::unique_ptr<ModelEngine> make_library_engine(CudaDevice& device, const LeNet& model,
                                                 std::size_t max_shard);

}  // namespace dpx::cuda
