// Topic shards: what averaging the means of unequal shards does to an example's weight.
#include <fmt/format.h>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/shard_weights.hpp"

namespace dpx {

void model_shards(const ModelOptions& o, Run& run) {
  const std::vector<double> weights = mean_of_means_weights(o.shards), scales = exact_mean_scales(o.shards);
  run.out
      << "weight of an example in the mean of k shard means, relative to the mean of all: sum(n) / (k n_i)\n"
         "exact when shard i's mean is first scaled by k n_i / sum(n); sum(n) is one more number to "
         "allreduce\n\n";
  Table table({"shard", "examples", "weight", "exact scale"});
  for (std::size_t i = 0; i < o.shards.size(); ++i) {
    table.row({std::to_string(i), std::to_string(o.shards[i]), fmt::format("{:.4f}", weights[i]),
               fmt::format("{:.4f}", scales[i])});
    Case row;
    row.key = {{"topic", "shards"}, {"shard", i}, {"examples", o.shards[i]}};
    row.metrics = {{"relative_weight", weights[i]}, {"exact_scale", scales[i]}};
    run.record.add_case(row);
  }
  table.print(run.out);
}

}  // namespace dpx
