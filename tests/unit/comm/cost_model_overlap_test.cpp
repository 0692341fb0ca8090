// Exposed communication of bucketed allreduces. Test names carry the id of the value.
#include "lib/comm/cost_model/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/comm/cost_model/allreduce_time.hpp"

namespace dpx {
namespace {

constexpr AlphaBeta kNic{5e-6, 50e9};

// The lesson's 8-billion-parameter model: 16 GB of gradients, 4 s of backward.
OverlapModel lesson(int k, double backward_s = 4) {
  return {backward_s, 16e9, [k](double bytes) { return ring_time(k, bytes, kNic).total_s(); }};
}

// Bucket by bucket, what overlap() has in closed form.
double exposed_by_simulation(const OverlapModel& m, double bucket) {
  double done_s = 0, arrived = 0;
  while (arrived < m.gradient_bytes * (1 - 1e-12)) {
    const double size = std::min(bucket, m.gradient_bytes - arrived);
    arrived += size;
    done_s = std::max(done_s, m.backward_s * arrived / m.gradient_bytes) + m.allreduce_s(size);
  }
  return done_s - m.backward_s;
}

TEST(CostModelOverlap, Try3_BucketsOf25MB) {
  const Overlap n8 = overlap(lesson(8), 25e6);
  EXPECT_EQ(n8.buckets, 640);
  EXPECT_NEAR(n8.interval_s * 1e3, 6.25, 1e-9);
  EXPECT_NEAR(n8.bucket_s * 1e3, 0.945, 5e-4);
  EXPECT_NEAR(n8.comm_s, 0.605, 5e-4);
  EXPECT_NEAR(n8.exposed_s * 1e3, 0.945, 5e-4);
  const Overlap n64 = overlap(lesson(64), 25e6);
  EXPECT_NEAR(n64.bucket_s * 1e3, 1.61, 0.005);
  EXPECT_NEAR(n64.exposed_s * 1e3, 1.61, 0.005);
  const Overlap n512 = overlap(lesson(512), 25e6);
  EXPECT_NEAR(n512.bucket_s * 1e3, 6.11, 0.005);
  EXPECT_NEAR(n512.exposed_s * 1e3, 6.11, 0.005);
  EXPECT_NEAR(n512.bucket_s / n512.interval_s, 0.98, 0.005);
  const Overlap n4096 = overlap(lesson(4096), 25e6);
  EXPECT_NEAR(n4096.bucket_s * 1e3, 41.9, 0.05);
  EXPECT_NEAR(n4096.exposed_s, 22.9, 0.05);
}

TEST(CostModelOverlap, Try3_LargerBucketsFix4096) {
  EXPECT_NEAR(overlap(lesson(4096), 200e6).exposed_s * 1e3, 49, 0.5);
  EXPECT_NEAR(*sustainable_bucket_bytes(4096, 4, 16e9, kNic) / 1e6, 195, 0.5);
}

TEST(CostModelOverlap, Try3_OneBucketHidesNothing) {
  const Overlap one = overlap(lesson(8), 16e9);
  EXPECT_EQ(one.buckets, 1);
  EXPECT_NEAR(one.exposed_s * 1e3, 560, 0.5);
  EXPECT_DOUBLE_EQ(overlap(lesson(8), 99e9).exposed_s, one.exposed_s);
}

TEST(CostModelOverlap, Try3_BestBucketOnTheGrid) {
  const std::vector<double> grid = bucket_grid(16e9);
  EXPECT_DOUBLE_EQ(best_bucket(lesson(64), grid).bucket_bytes, 5e6);
  EXPECT_DOUBLE_EQ(best_bucket(lesson(512), grid).bucket_bytes, 25e6);
  EXPECT_DOUBLE_EQ(best_bucket(lesson(4096), grid).bucket_bytes, 200e6);
}

TEST(CostModelOverlap, Try3_SmallBucketsCostAtN64) {
  EXPECT_NEAR(overlap(lesson(64), 1e6).exposed_s, 6.7, 0.05);
}

TEST(CostModelOverlap, D6_OnlyTheLastBucketIsExposedWhenTheStreamKeepsUp) {
  for (const double bucket : {5e6, 25e6, 100e6}) {
    const Overlap o = overlap(lesson(8), bucket);
    EXPECT_LT(o.comm_s, 4);
    EXPECT_NEAR(o.exposed_s, ring_time(8, bucket, kNic).total_s(), 1e-9) << bucket;
  }
}

TEST(CostModelOverlap, AgreesWithTheQueueBucketByBucket) {
  for (const int k : {2, 8, 64, 512, 4096})
    for (const double backward_s : {0.0, 0.1, 4.0})
      for (const double bucket : {1e6, 3e6, 7.7e6, 25e6, 1.1e9, 9e9, 16e9}) {
        const OverlapModel m = lesson(k, backward_s);
        const double expected = exposed_by_simulation(m, bucket);
        EXPECT_NEAR(overlap(m, bucket).exposed_s, expected, 1e-7 * expected) << k << " " << bucket;
      }
}

TEST(CostModelOverlap, SustainableBucketIsWhereServiceMeetsArrival) {
  const double bucket = *sustainable_bucket_bytes(64, 4, 16e9, kNic);
  const Overlap o = overlap(lesson(64), bucket);
  EXPECT_NEAR(o.bucket_s, o.interval_s, 1e-12);
  EXPECT_FALSE(sustainable_bucket_bytes(64, 0.5, 16e9, kNic)) << "0.63 s of bytes do not fit into 0.5 s";
}

TEST(CostModelOverlap, ExposedIsNeverBelowTheLastBucketNorAboveAllCommunication) {
  for (const int k : {2, 64, 4096})
    for (const double bucket : bucket_grid(16e9)) {
      const Overlap o = overlap(lesson(k), bucket);
      EXPECT_GT(o.exposed_s, 0);
      EXPECT_LE(o.exposed_s, o.comm_s * (1 + 1e-12));
    }
}

TEST(CostModelOverlap, GridOfASmallModelIsOneBucket) {
  EXPECT_EQ(bucket_grid(516272), std::vector<double>{516272});
}

}  // namespace
}  // namespace dpx
