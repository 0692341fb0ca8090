#pragma once
// Buckets: how a flat gradient buffer is cut into the runs that are reduced together.
#include <cstddef>
#include <string>
#include <vector>

#include "lib/core/range.hpp"

namespace dpx {

/// "tensor": one run per tensor, as in the chapter; "flat": one run for all; a size such as "25M":
/// neighbouring tensors from the last to the first, the order in which the backward pass finishes them, up to
/// that many bytes of fp32 per run (a larger tensor is a run of its own). Every element is in exactly one
/// run. Errors: Exit::usage with the value and the values allowed.
std::vector<Range> make_buckets(const std::vector<Range>& tensors, const std::string& spec);

}  // namespace dpx
