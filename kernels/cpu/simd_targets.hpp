#pragma once
// Instruction sets that Google Highway compiles the kernels for; include before any header of Highway.
// On x86 the baseline (x86-64-v2), AVX2 and AVX-512 are enough: the sets in between bring no instruction used
// here. Scalable vectors are left out because the kernels keep arrays of vectors in registers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
