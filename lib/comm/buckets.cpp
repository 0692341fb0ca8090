#include "lib/comm/buckets.hpp"

#include "lib/core/units.hpp"

namespace dpx {

std::vector<Range> make_buckets(const std::vector<Range>& tensors, const std::string& spec) {
  if (spec == "tensor") return tensors;
  if (spec == "flat") return {{tensors.front().first, tensors.back().end() - tensors.front().first}};
  const std::size_t limit = std::size_t(parse_bytes(spec)) / sizeof(float);
  std::vector<Range> buckets;
  for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
    if (!buckets.empty() && buckets.back().count + tensor->count <= limit)
      buckets.back() = {tensor->first, buckets.back().count + tensor->count};
    else
      buckets.push_back(*tensor);
  }
  return buckets;
}

}  // namespace dpx
