#pragma once
// The flags of all topics, and their values in SI units.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands/model/fit_record.hpp"
#include "lib/comm/cost_model/alpha_beta.hpp"
#include "lib/core/fields.hpp"

namespace dpx {

struct Topic;

class ModelOptions {
 public:
  void declare(Fields& fields);
  /// Refuses flags that `topic` does not use, reads --from, and misses what the topic needs.
  /// Errors: Exit::usage, one line.
  void check(const Topic& topic);

  std::string topic, grad_dtype = "fp32", mode = "strong", duplex = "full", nccl_tests;
  std::vector<std::int64_t> gpus{1, 2, 4, 8}, bytes, bucket{25'000'000}, servers, width{1, 2, 4, 8, 16},
      channels, micro_batches{1, 2, 4, 8, 16, 32}, shards;
  std::vector<std::string> algorithms() const;
  int tensors = 1, accumulate = 1, stages = 2, ranks_per_node = 8;
  std::int64_t examples = 0, card = 0;

  /// True when a flag or the config file gives it.
  bool given(std::string_view name) const;
  /// Errors: Exit::usage when `flag` is given but what it `needs` is not.
  void require_with(std::string_view flag, std::string_view needs) const;
  /// True when a flag, the config file or the record gives it.
  bool has(std::string_view name) const;
  /// Value of a time, rate or real number. Units: s, bytes/s. Errors: Exit::usage when nothing gives it.
  double number(std::string_view name) const;
  double number_or(std::string_view name, double fallback) const;
  /// alpha and beta; alpha is 0 when nothing gives it.
  AlphaBeta link() const;
  /// Sizes of --bytes, else one from parameters and --grad-dtype. Errors: Exit::usage when neither is given.
  std::vector<double> gradient_sizes() const;
  /// As gradient_sizes, for topics that work on one. Errors: Exit::usage when there are more.
  double gradient_bytes() const;
  bool has_gradient_bytes() const { return has("bytes") || has("params"); }
  double bytes_per_value() const { return grad_dtype == "bf16" ? 2 : 4; }
  /// "constants from FILE (scaling-sweep): alpha 9.80 us, ..."; empty without --from.
  std::string source_line() const;

 private:
  void declare_link(Fields& fields);
  void declare_step(Fields& fields);
  void declare_rest(Fields& fields);
  Field& time(Fields& fields, const std::string& name, const std::string& help);
  Field& rate(Fields& fields, const std::string& name, const std::string& help);
  Field& real(Fields& fields, const std::string& name, RealBounds bounds, const std::string& help);

  const Fields* fields_ = nullptr;
  const Topic* topic_ = nullptr;
  std::vector<std::string> names_;  ///< the flags that belong to topics
  std::map<std::string, std::string, std::less<>> times_, rates_;
  std::map<std::string, double, std::less<>> reals_;
  std::string algo_ = "ring", from_;
  FitRecord record_;
};

}  // namespace dpx
