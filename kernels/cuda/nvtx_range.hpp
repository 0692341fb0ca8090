#pragma once
// Ranges of the host's time line in Nsight Systems; nothing where dpx is built without NVTX. Every use is a
// few nanoseconds unless a profiler is attached.
#ifdef DPX_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace dpx::cuda {

/// From here to the end of the block.
class NvtxRange {
 public:
#ifdef DPX_HAVE_NVTX
  explicit NvtxRange(const char* name) {
    nvtxRangePushA(name);
  }
  ~NvtxRange() {
    nvtxRangePop();
  }
#else
  explicit NvtxRange(const char*) {}
  ~NvtxRange() {}
#endif
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace dpx::cuda
