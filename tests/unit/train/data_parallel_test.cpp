// The five steps on k CPU devices.
#include "lib/train/data_parallel.hpp"

#include <gtest/gtest.h>

#include "lib/train/parity.hpp"
#include "lib/train/replica_check.hpp"
#include "lib/train/trainer.hpp"
#include "tests/support/one_step.hpp"

namespace dpx {
namespace {

/// One step of `options` over `batch` normal examples on k devices.
StepResult step_on(int k, std::size_t batch, const StepOptions& options = {}, int threads = 1) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({k, threads}));
  const LeNet model(options.width);
  return take_step(group, *backend, model, options, initial_params(model, 0),
                   load_dataset("normal", 0, batch).train, batch);
}

ParityReport parity(int k, std::size_t batch, const StepOptions& options = {}) {
  const LeNet model(options.width);
  StepOptions reference;
  reference.width = options.width;
  return compare_steps(model, initial_params(model, 0), step_on(1, batch, reference),
                       step_on(k, batch, options));
}

TEST(DataParallel, TwoDevicesTakeExactlyTheStepOfOne) {
  const ParityReport report = parity(2, 256);
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.max_abs_diff, 0);
  EXPECT_GT(report.max_abs_update, 1e-3);
}

TEST(DataParallel, ThreadsDoNotChangeBits) {
  const StepResult one = step_on(1, 200);
  for (int threads : {2, 3, 4}) EXPECT_EQ(step_on(1, 200, {}, threads).hashes, one.hashes) << threads;
}

TEST(DataParallel, RaggedShardsKeepParity) {
  for (const auto& [k, batch] : {std::pair{2, 5}, {2, 257}, {3, 256}, {4, 5}, {8, 9}, {5, 5}}) {
    const ParityReport report = parity(k, std::size_t(batch));
    EXPECT_TRUE(report.passed) << k << " devices, batch " << batch;
    EXPECT_LE(report.max_abs_diff, 0x1p-27);
    EXPECT_NEAR(report.norm_ratio, 1.0, 1e-5);
  }
}

TEST(DataParallel, ShardsDifferByAtMostOne) {
  EXPECT_EQ(step_on(4, 5).shard_sizes, (std::vector<std::size_t>{2, 1, 1, 1}));
  EXPECT_EQ(step_on(8, 9).shard_sizes, (std::vector<std::size_t>{2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(step_on(3, 256).shard_sizes, (std::vector<std::size_t>{86, 85, 85}));
}

TEST(DataParallel, FirstLossIsTheSameForEveryK) {
  const double loss = step_on(1, 100).loss;
  for (int k : {2, 3, 7}) EXPECT_EQ(step_on(k, 100).loss, loss);
}

TEST(DataParallel, BucketsDoNotChangeTheStar) {
  StepOptions options;
  const auto hashes = step_on(3, 64, options).hashes;
  for (const char* bucket : {"flat", "100K", "25M"}) {
    options.bucket = bucket;
    EXPECT_EQ(step_on(3, 64, options).hashes, hashes) << bucket;
  }
}

TEST(DataParallel, NormalisationsAgreeWhereTheyShould) {
  StepOptions options;
  options.normalize = Normalize::weighted;
  EXPECT_TRUE(parity(3, 7, options).passed) << "recipe B, weighted, is exact for unequal shards";
  options.normalize = Normalize::mean_of_means;
  EXPECT_TRUE(parity(2, 256, options).passed) << "recipe B is exact for equal shards";
  EXPECT_FALSE(parity(2, 3, options).passed) << "and wrong for unequal ones";
}

TEST(DataParallel, EveryPlantedFaultIsCaughtWithItsFactor) {
  for (int k : {2, 4}) {
    for (Fault fault : {Fault::sum_not_mean, Fault::double_reduce, Fault::drop_shard, Fault::stale_bucket}) {
      StepOptions options;
      options.fault = fault;
      const ParityReport report = parity(k, 64, options);
      EXPECT_FALSE(report.passed) << describe(fault);
      const bool k_times = fault == Fault::sum_not_mean || fault == Fault::double_reduce;
      EXPECT_TRUE(!k_times || std::abs(report.norm_ratio - k) < 1e-3) << describe(fault) << report.norm_ratio;
    }
    StepOptions options;
    options.fault = Fault::mean_of_means;
    EXPECT_FALSE(parity(k, std::size_t(k) + 1, options).passed);
  }
}

TEST(DataParallel, WidthTwo) {
  EXPECT_TRUE(parity(2, 6, {.width = 2}).passed);
}

TEST(ReplicaCheck, NamesReplicaAndTensor) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({3, 1}));
  const LeNet model;
  DataParallel replicas(group, *backend, model, {}, 4);
  replicas.set_params(initial_params(model, 0));
  EXPECT_TRUE(check_replicas(replicas).equal);
  const Examples examples = load_dataset("normal", 0, 4).train;
  ResidentData data(group, examples, 4);
  data.set_order(test::first_rows(4));
  auto work = data.work(0);
  replicas.step(work);
  group.synchronize();
  EXPECT_TRUE(check_replicas(replicas).equal);
}

TEST(Parity, UlpsAreThoseOfFp32) {
  EXPECT_EQ(ulp_of(0.0), 0x1p-149);
  EXPECT_EQ(ulp_of(1.0), 0x1p-23);
  EXPECT_EQ(ulp_of(-0.01), 0x1p-30);  // the chapter's 9.31e-10
}

TEST(Parity, ReportsDifferingReplicasAndNaN) {
  const LeNet model;
  const std::vector<float> start = initial_params(model, 0);
  StepResult one = step_on(1, 8), many = step_on(2, 8);
  EXPECT_TRUE(compare_steps(model, start, one, many).passed);
  many.hashes.back() ^= 1;
  EXPECT_FALSE(compare_steps(model, start, one, many).passed);
  many.hashes.back() ^= 1;
  many.params[5] = NAN;
  EXPECT_FALSE(compare_steps(model, start, one, many).passed);
  EXPECT_FALSE(compare_steps(model, start, one, many).finite);
}

TEST(Parity, LimitsFollowThePrecisionOfProducts) {
  const RoundingLimits fp32 = RoundingLimits::of("fp32"), tf32 = RoundingLimits::of("tf32");
  EXPECT_EQ(fp32.engine_tol(0.01), 0x1p-27);
  EXPECT_EQ(fp32.engine_tol(1.0), 0x1p-20) << "8 ulps of a larger update";
  EXPECT_EQ(tf32.engine_tol(0.5), 0x1p-5);
  // A change that fp32 cannot explain and TF32 can; and one that neither can.
  const LeNet model;
  const std::vector<float> start = initial_params(model, 0);
  const StepResult one = step_on(1, 8);
  StepResult many = step_on(2, 8);
  const std::size_t last = start.size() - 1;
  const float update = one.params[last] - start[last];
  many.params[last] = start[last] + update * (1 + 0x1p-10f);
  EXPECT_FALSE(compare_steps(model, start, one, many, fp32).passed);
  EXPECT_TRUE(compare_steps(model, start, one, many, tf32).passed);
  many.params[last] = start[last] + update * 1.5f;
  EXPECT_FALSE(compare_steps(model, start, one, many, tf32).passed);
}

TEST(Trainer, TrainsTheRaggedTailAndCountsEachExampleOnce) {
  const Dataset data = load_dataset("synthetic", 0, 300);
  for (int k : {1, 2, 3, 7}) {
    const auto backend = make_backend("cpu");
    Group group(backend->open({k, 1}));
    DataParallel replicas(group, *backend, LeNet(), {}, 64);
    replicas.set_params(initial_params(LeNet(), 0));
    Trainer trainer(replicas, data.train, 64, 0);
    std::size_t seen = 0;
    const EpochReport report = trainer.run_epoch(1, [&](std::size_t examples) {
      seen = examples;
      return true;
    });
    EXPECT_EQ(report.steps, 5u);
    EXPECT_EQ(report.examples, 300u);
    EXPECT_EQ(seen, 300u);
    EXPECT_EQ(report.scores.count, 300u);
    EXPECT_NEAR(report.loss(), std::log(10.0), 0.05);
    EXPECT_GE(report.phases.forward_backward_s, 0);
    Examples test = data.test;
    test.pixels_u8.resize(101 * 784);
    test.labels.resize(101);
    EXPECT_EQ(trainer.evaluate(test).count, 101u);
    EXPECT_TRUE(check_replicas(replicas).equal);
  }
}

TEST(Trainer, EvaluationDoesNotDependOnK) {
  const Dataset data = load_dataset("synthetic", 3, 64);
  Examples test = data.test;
  test.pixels_u8.resize(1000 * 784);
  test.labels.resize(1000);
  std::vector<std::size_t> correct;
  for (int k : {1, 2, 3, 7}) {
    const auto backend = make_backend("cpu");
    Group group(backend->open({k, 1}));
    DataParallel replicas(group, *backend, LeNet(), {}, 64);
    replicas.set_params(initial_params(LeNet(), 5));
    Trainer trainer(replicas, data.train, 64, 0);
    const ScoreTotals totals = trainer.evaluate(test);
    correct.push_back(totals.correct);
    EXPECT_EQ(totals.count, 1000u);
  }
  for (std::size_t c : correct) EXPECT_EQ(c, correct.front());
}

TEST(Trainer, StopsWhenTheWatcherSaysSo) {
  const Dataset data = load_dataset("synthetic", 0, 640);
  const auto backend = make_backend("cpu");
  Group group(backend->open({2, 1}));
  DataParallel replicas(group, *backend, LeNet(), {}, 32);
  replicas.set_params(initial_params(LeNet(), 0));
  Trainer trainer(replicas, data.train, 32, 0);
  const EpochReport report = trainer.run_epoch(1, [](std::size_t examples) { return examples < 96; });
  EXPECT_FALSE(report.finished);
  EXPECT_EQ(report.steps, 3u);
  EXPECT_EQ(report.scores.count, 96u);
}

}  // namespace
}  // namespace dpx
