#pragma once
// What one data-parallel step does: learning rate, reduction and normalisation, and the faults that parity
// can plant.
#include <optional>
#include <string>
#include <vector>

#include "lib/comm/link_model.hpp"

namespace dpx {

/// How shard gradients become the gradient of the batch's mean loss.
enum class Normalize {
  global,         ///< sum over the batch, divided by the batch size (the chapter's recipe A)
  mean_of_means,  ///< mean per shard, then the mean of those: wrong when shards differ in size (recipe B)
  weighted        ///< recipe B made exact: shard i's mean weighs k n_i / n
};

/// Known mistakes of data-parallel code, each planted on purpose to show that parity sees it.
enum class Fault { none, sum_not_mean, double_reduce, drop_shard, stale_bucket, mean_of_means };

struct StepOptions {
  int width = 1;
  double lr = 0.2;
  std::string algo = "star";
  std::string bucket = "tensor";
  Normalize normalize = Normalize::global;
  Fault fault = Fault::none;
  std::optional<LinkModel> link = {};  ///< to be emulated
};

/// "global", "mean-of-means", "weighted", in the order of Normalize.
const std::vector<std::string>& normalize_names();
/// `name` is one of normalize_names(), as the option's check makes sure.
Normalize parse_normalize(const std::string& name);
/// "none" first; the others in the order in which `--mutations` tries them.
const std::vector<std::string>& fault_names();
/// `name` is one of fault_names(), as the option's check makes sure.
Fault parse_fault(const std::string& name);
/// One line on what the fault is.
std::string describe(Fault fault);

}  // namespace dpx
