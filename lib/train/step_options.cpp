#include "lib/train/step_options.hpp"

#include <algorithm>

namespace dpx {
namespace {
std::size_t index_in(const std::vector<std::string>& names, const std::string& name) {
  return std::size_t(std::find(names.begin(), names.end(), name) - names.begin());
}
}  // namespace

const std::vector<std::string>& normalize_names() {
  static const std::vector<std::string> names{"global", "mean-of-means", "weighted"};
  return names;
}

Normalize parse_normalize(const std::string& name) {
  return Normalize(index_in(normalize_names(), name));
}

const std::vector<std::string>& fault_names() {
  static const std::vector<std::string> names{"none",       "sum-not-mean", "double-reduce",
                                              "drop-shard", "stale-bucket", "mean-of-means"};
  return names;
}

Fault parse_fault(const std::string& name) {
  return Fault(index_in(fault_names(), name));
}

std::string describe(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "no fault";
    case Fault::sum_not_mean:
      return "shard means are summed, not averaged";
    case Fault::double_reduce:
      return "the allreduce runs twice";
    case Fault::drop_shard:
      return "the last rank's gradient is lost";
    case Fault::stale_bucket:
      return "the last rank sends one bucket's gradient of the step before";
    case Fault::mean_of_means:
      return "shards of unequal size weigh the same";
  }
  return "";
}

}  // namespace dpx
