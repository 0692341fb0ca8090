#pragma once
// Reduction of bf16 buffers whose sums are accumulated in fp32 and rounded once.
#include <memory>

#include "lib/comm/reducer.hpp"

namespace dpx {

/// A reducer for bf16 buffers: each rank's run is widened to fp32, `reducer` sums that, and the sum is
/// rounded once on its way back. The same name, transport and elements carried as `reducer`'s. Units: the
/// links carry 4 bytes per element; scratch memory is 4 bytes per element of a rank's buffer, kept and used
/// again, and replaced when a longer buffer comes. Errors: of allreduce, Exit::internal for buffers that are
/// not bf16; Exit::unavailable without the memory.
std::unique_ptr<Reducer> make_fp32_accumulating(std::unique_ptr<Reducer> reducer, Group& group);

}  // namespace dpx
