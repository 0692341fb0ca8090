// Every kernel that dpx launches, compiled for the CPU. A launch of one that is missing here ends the run by
// its name.
#include "tests/fake_cuda/device/shim.hpp"
//
#include "kernels/cuda/lenet.cuh"
#include "kernels/cuda/vector_ops.cuh"

namespace dpx::cuda {

FAKE_KERNEL(add_kernel<float>);
FAKE_KERNEL(add_kernel<Bf16>);
FAKE_KERNEL(convert_kernel<Bf16, float>);
FAKE_KERNEL(convert_kernel<float, Bf16>);
FAKE_KERNEL(axpy_kernel);
FAKE_KERNEL(scale_kernel);
FAKE_KERNEL(move_kernel<uint4>);
FAKE_KERNEL(move_kernel<std::uint32_t>);
FAKE_KERNEL(move_kernel<std::uint16_t>);
FAKE_KERNEL(move_kernel<std::uint8_t>);
FAKE_KERNEL(set_arguments_kernel);
FAKE_KERNEL(gather_kernel<std::uint8_t>);
FAKE_KERNEL(gather_kernel<float>);
FAKE_KERNEL(bias_relu_kernel);
FAKE_KERNEL(relu_channel_sums_kernel);
FAKE_KERNEL(column_sums_kernel);
FAKE_KERNEL(finish_sums_kernel);
FAKE_KERNEL(softmax_loss_kernel);

}  // namespace dpx::cuda
