#pragma once
// Rows of dpx allreduce-bench: what is timed, what follows from it, how it is printed and recorded.
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "lib/comm/cost_model/bandwidth.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/measure/collective_timing.hpp"
#include "lib/measure/statistics.hpp"
#include "lib/record/record.hpp"

namespace dpx {

struct BenchOptions;

/// One operation over the buffers: an allreduce, or a pass that bounds it.
struct BenchVariant {
  std::string name;
  std::unique_ptr<Reducer> reducer;  ///< null for a bound
  CollectiveOperation operation;
  double bytes_moved_per_byte = 0;     ///< of a bound: memory traffic per byte of one rank's buffer
  double bytes_each_way_per_byte = 0;  ///< of a bound on links: sent and received per byte of the buffer
  int samples = 0, chain = 1;
  std::vector<double> warmup_s, fresh_s, back_to_back_s, one_shot_s;
  bool checked = false, identical = true;
  bool counted = true;  ///< whether the reducer says what it carries
  std::int64_t wrong = 0, carried_bytes = 0, expected_bytes = 0;
  std::string first_wrong;
};

struct BenchRow {
  const BenchVariant* variant;
  int gpus;
  std::int64_t bytes;
  std::string dtype;
  Summary time;
  double back_to_back_s, one_shot_s;  ///< medians; NaN for bounds
  Bandwidths bandwidths;
  /// The least time / time, see ShareOfBound; on an emulated link, the link's time.
  std::optional<double> of_bound, link_time_s;
  int warmup;
  const char* bound = "in_place";  ///< what of_bound is a share of: in_place, duplex or link
};

BenchRow make_row(const BenchVariant& variant, const std::vector<BenchVariant>& all, int gpus,
                  std::int64_t bytes, const BenchOptions& options);
Case row_case(const BenchRow& row);

void print_bench_head(std::ostream& out);
void print_group_line(std::ostream& out, int gpus, const Json& environment, const BenchOptions& options);
void print_bounds(std::ostream& out, const std::vector<BenchVariant>& variants, int gpus, std::int64_t bytes);
/// The columns of an allreduce's row, and their head.
std::string row_text(const Case& row);
std::string row_head();

}  // namespace dpx
