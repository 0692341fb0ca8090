#pragma once
// Bucketed allreduces that run while the backward pass still computes.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lib/comm/cost_model/alpha_beta.hpp"

namespace dpx {

/// A backward pass that finishes its gradient bytes at an even rate, and the time of one allreduce.
struct OverlapModel {
  double backward_s = 0;
  double gradient_bytes = 0;
  std::function<double(double bytes)> allreduce_s;
};

/// What comes of one bucket size.
struct Overlap {
  std::int64_t buckets = 0;  ///< the last one may be smaller
  double interval_s = 0;     ///< between full buckets getting ready
  double bucket_s = 0;       ///< allreduce of one full bucket
  double comm_s = 0;         ///< all allreduces together
  double exposed_s = 0;      ///< from the end of the backward pass to the end of the last allreduce
};

/// Buckets go, in order of readiness, to one communication stream: each allreduce starts when its bucket is
/// ready and the one before is done; the last bucket is ready when the backward pass ends. Units: bytes,
/// seconds. Source: lesson, "Overlap: buckets in DDP" and "Try it" 3.
Overlap overlap(const OverlapModel& model, double bucket_bytes);

/// Sizes 1, 2, 5 x 10^n MB below the gradient's, and the gradient's own: one bucket. Units: bytes.
std::vector<double> bucket_grid(double gradient_bytes);

struct BestBucket {
  double bucket_bytes = 0;
  Overlap result;
};

/// The size of `grid` (not empty) with the least exposed time; the first such. Units: bytes, seconds. Source:
/// lesson, "Try it" 3.
BestBucket best_bucket(const OverlapModel& model, const std::vector<double>& grid);

/// Smallest bucket with which a ring keeps up with the backward pass, 2(k-1) alpha / (t/M - 2(k-1)/(k
/// beta)); empty when the whole allreduce's bandwidth term is above the backward time. Units: bytes, seconds.
/// Source: lesson, "Try it" 3: a bucket's allreduce must not take longer than its interval.
std::optional<double> sustainable_bucket_bytes(int k, double backward_s, double gradient_bytes,
                                               AlphaBeta link);

}  // namespace dpx
