#include "lib/train/replica_check.hpp"

#include <fmt/format.h>

#include <cstring>

namespace dpx {
namespace {

std::string_view first_difference(const LeNet& model, const std::vector<float>& a,
                                  const std::vector<float>& b) {
  for (const ParamTensor& tensor : model.tensors()) {
    const Range r = tensor.elements;
    if (std::memcmp(a.data() + r.first, b.data() + r.first, r.count * sizeof(float)) != 0) return tensor.name;
  }
  return "nothing";
}

}  // namespace

ReplicaCheck check_replicas(DataParallel& replicas) {
  ReplicaCheck check;
  const std::vector<std::uint64_t> hashes = replicas.param_hashes();
  for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
    check.hashes.push_back(fmt::format("{:016x}", hashes[rank]));
    if (check.equal && hashes[rank] != hashes[0]) {
      check.equal = false;
      check.difference =
          fmt::format("replica {} differs from replica 0 in {}", rank,
                      first_difference(replicas.model(), replicas.params(0), replicas.params(int(rank))));
    }
  }
  return check;
}

}  // namespace dpx
