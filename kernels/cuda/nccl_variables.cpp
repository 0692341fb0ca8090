// Which environment variables the loaded NCCL reads: it looks each up by its whole name, so the name of every
// one stands in the library as a text of its own. That is right for any version; tables of versions are not.
#include "kernels/cuda/library_text.hpp"
#include "kernels/cuda/nccl_reducer.hpp"
#include "kernels/cuda/nccl_rules.hpp"

#ifdef DPX_HAVE_NCCL
#include <nccl.h>

#include "kernels/cuda/check_libraries.hpp"
#endif

namespace dpx::cuda {

#ifndef DPX_HAVE_NCCL

std::string why_no_nccl_variable(const std::string&) {
  return "this dpx was built without NCCL";
}

#else

std::string why_no_nccl_variable(const std::string& name) {
  if (library_holds(reinterpret_cast<const void*>(&ncclGetVersion), name)) return "";
  int version = 0;
  DPX_CHECK(ncclGetVersion(&version));
  return absent_variable(name, version);
}

#endif

}  // namespace dpx::cuda
