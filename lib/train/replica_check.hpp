#pragma once
// Are all replicas the same, bit for bit?
#include <string>
#include <vector>

#include "lib/train/data_parallel.hpp"

namespace dpx {

struct ReplicaCheck {
  bool equal = true;
  std::string difference = "equal";  ///< or "replica 1 differs from replica 0 in conv2.weight"
  std::vector<std::string> hashes;   ///< hex, one per replica
};

/// Reads every replica back from its device and names the first that differs from replica 0, with the tensor.
ReplicaCheck check_replicas(DataParallel& replicas);

}  // namespace dpx
