#include "tests/fake_cuda/device/shim.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

FAKE_KERNEL(fake_programs::fill);
FAKE_KERNEL(fake_programs::add_into);
FAKE_KERNEL(fake_programs::block_sum<128>);
FAKE_KERNEL(fake_programs::halving_sum);
FAKE_KERNEL(fake_programs::stuck);
FAKE_KERNEL(fake_programs::count);
