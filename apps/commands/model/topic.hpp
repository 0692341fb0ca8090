#pragma once
// A question that `dpx model` answers. A new one is a file here, its function below and one row in
// topics.cpp.
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands/model/options.hpp"
#include "apps/experiment.hpp"

namespace dpx {

struct Topic {
  std::string_view name, help;
  std::vector<std::string_view> flags;  ///< all that it may be given
  std::vector<std::string_view>
      needs;                         ///< what a flag or the record must give; "bytes" stands for --params too
  std::string_view example, answer;  ///< one worked line
  void (*run)(const ModelOptions& options, Run& run);
};

const std::vector<Topic>& topics();
std::vector<std::string> topic_names();

/// Each prints formula, table and closing lines, and adds cases (key and metrics) and a verdict.
void model_allreduce(const ModelOptions& options, Run& run);
void model_bandwidth(const ModelOptions& options, Run& run);
void model_batchnorm(const ModelOptions& options, Run& run);
void model_crossover(const ModelOptions& options, Run& run);
void model_memory(const ModelOptions& options, Run& run);
void model_overlap(const ModelOptions& options, Run& run);
void model_parameter_server(const ModelOptions& options, Run& run);
void model_pipeline(const ModelOptions& options, Run& run);
void model_scaling(const ModelOptions& options, Run& run);
void model_shards(const ModelOptions& options, Run& run);
void model_width(const ModelOptions& options, Run& run);

}  // namespace dpx
