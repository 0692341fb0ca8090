#include "lib/comm/cost_model/overlap.hpp"

#include <algorithm>
#include <cmath>

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {

Overlap overlap(const OverlapModel& model, double bucket_bytes) {
  const double bucket = std::min(bucket_bytes, model.gradient_bytes);
  // All buckets but the last are full; a remainder lost in rounding is no bucket.
  const double full = std::max(0.0, std::ceil(model.gradient_bytes / bucket * (1 - 1e-12)) - 1);
  const double last_bytes = model.gradient_bytes - full * bucket;
  Overlap out;
  out.buckets = std::int64_t(full) + 1;
  out.interval_s = model.backward_s * bucket / model.gradient_bytes;
  out.bucket_s = model.allreduce_s(bucket);
  const double last_s = model.allreduce_s(last_bytes);
  out.comm_s = full * out.bucket_s + last_s;
  // The queue of equal jobs is done either with the last arrival's own service, or, when service is slower
  // than arrival, after the first arrival and all services.
  const double queue_done_s =
      full == 0 ? 0 : std::max(full * out.interval_s + out.bucket_s, out.interval_s + full * out.bucket_s);
  out.exposed_s = std::max(queue_done_s - model.backward_s, 0.0) + last_s;
  return out;
}

std::vector<double> bucket_grid(double gradient_bytes) {
  std::vector<double> grid;
  for (double decade = 1e6; decade < gradient_bytes; decade *= 10)
    for (const double factor : {1, 2, 5})
      if (factor * decade < gradient_bytes) grid.push_back(factor * decade);
  // The size that DistributedDataParallel starts from.
  if (gradient_bytes > 25e6) grid.push_back(25e6);
  std::sort(grid.begin(), grid.end());
  grid.push_back(gradient_bytes);
  return grid;
}

BestBucket best_bucket(const OverlapModel& model, const std::vector<double>& grid) {
  BestBucket best;
  for (const double bucket : grid) {
    const Overlap result = overlap(model, bucket);
    if (best.bucket_bytes == 0 || result.exposed_s < best.result.exposed_s) best = {bucket, result};
  }
  return best;
}

std::optional<double> sustainable_bucket_bytes(int k, double backward_s, double gradient_bytes,
                                               AlphaBeta link) {
  const CommTime per_byte = ring_time(k, 1, link);
  const double spare_s_per_byte = backward_s / gradient_bytes - per_byte.bandwidth_s;
  if (spare_s_per_byte <= 0) return std::nullopt;
  return per_byte.latency_s / spare_s_per_byte;
}

}  // namespace dpx
