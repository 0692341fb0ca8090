// allreduce-bench --nccl-env, and other things that depend on NCCL's environment and version, with the real
// dpx.
#ifdef FAKE_NCCL
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <set>

#include "tests/fake_cuda/cases/dpx_run.hpp"

namespace dpx::test {
namespace {

using nlohmann::json;

std::vector<std::string> bench(std::vector<std::string> more) {
  more.insert(more.begin(), {"allreduce-bench", "--gpus", "2", "--bytes", "4K", "--iters", "1", "--warmup",
                             "1", "--min-time", "0"});
  return more;
}

/// The rows of nccl, by their setting ("": this process's own environment).
std::map<std::string, json> rows_by_setting(const json& record) {
  std::map<std::string, json> rows;
  for (const json& row : record.at("cases"))
    if (row.at("key").at("algo") == "nccl") {
      const json& setting = row.at("key").at("nccl_env");
      rows[setting.is_null() ? "" : setting.get<std::string>()] = row;
    }
  return rows;
}

TEST(NcclEnv, EachSettingIsMeasuredInAProcessThatHasIt) {
  const RecordedRun run = record_on_gpus(
      bench({"--algo", "ring,nccl", "--nccl-env", "NCCL_PROTO=LL,NCCL_P2P_DISABLE=1+NCCL_PROTO=Simple"}));
  expect_good(run.outcome, "two settings");
  const auto rows = rows_by_setting(run.record);
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& [setting, row] : rows) {
    EXPECT_EQ(row.at("status"), "ok") << row;
    EXPECT_EQ(row.at("metrics").at("wrong"), 0);
    EXPECT_NE(run.outcome.out.find(setting), std::string::npos) << run.outcome.out;
  }
  const auto median = [&](const char* setting) -> double {
    return rows.at(setting).at("summary").at("median");
  };
  EXPECT_NEAR(median("NCCL_P2P_DISABLE=1+NCCL_PROTO=Simple"), median(""), 1e-9);
  EXPECT_LT(median("NCCL_PROTO=LL"), 0.5 * median("")) << "the double starts sooner with LL";
  EXPECT_EQ(run.record.at("config").at("nccl-env"), "NCCL_PROTO=LL,NCCL_P2P_DISABLE=1+NCCL_PROTO=Simple");
}

TEST(NcclEnv, WhatTheLoadedNcclDoesNotReadIsAbsentAndNotMeasured) {
  const RecordedRun run = record_on_gpus(
      bench({"--algo", "nccl", "--nccl-env", "NCCL_CREATE_THREAD_CONTEXT=1+NCCL_PROTO=LL,NCCL_NO_SUCH=2"}),
      {{"DPX_FAKE_NCCL_VERSION", "23007"}});
  expect_good(run.outcome, "absent");
  const auto rows = rows_by_setting(run.record);
  ASSERT_EQ(rows.size(), 3u);
  for (const char* setting : {"NCCL_CREATE_THREAD_CONTEXT=1+NCCL_PROTO=LL", "NCCL_NO_SUCH=2"}) {
    const json& row = rows.at(setting);
    EXPECT_EQ(row.at("status"), "skipped");
    EXPECT_TRUE(row.at("samples_s").empty());
    const std::string reason = row.at("reason");
    EXPECT_EQ(reason.find("absent: NCCL 2.30.7 does not read NCCL_"), 0u) << reason;
    EXPECT_NE(run.outcome.out.find(reason), std::string::npos) << run.outcome.out;
  }
}

TEST(NcclEnv, AChildWhoseCollectiveHangsIsOneFailedRow) {
  const RecordedRun run =
      record_on_gpus(bench({"--algo", "nccl", "--nccl-env", "NCCL_PROTO=LL,Simple", "--timeout", "0.5"}),
                     {{"DPX_FAKE_NCCL_STUCK", "collective:NCCL_PROTO=LL"}});
  EXPECT_EQ(run.outcome.exit_code, 4) << run.outcome.err;
  const auto rows = rows_by_setting(run.record);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.at("").at("status"), "ok");
  EXPECT_EQ(rows.at("NCCL_PROTO=Simple").at("status"), "ok");
  EXPECT_EQ(rows.at("NCCL_PROTO=LL").at("status"), "failed");
  const std::string reason = rows.at("NCCL_PROTO=LL").at("reason");
  EXPECT_NE(reason.find("exit code 3"), std::string::npos) << reason;
  EXPECT_NE(reason.find("--timeout"), std::string::npos) << reason;
}

TEST(NcclEnv, CtrlCEndsTheChildToo) {
  Invocation what = gpu_invocation(
      bench({"--algo", "nccl", "--nccl-env", "NCCL_PROTO=LL", "--progress", "off", "--timeout", "60"}),
      {{"DPX_FAKE_NCCL_STUCK", "init:NCCL_PROTO=LL"}});
  what.signal = SIGINT;
  what.signal_after_s = 1;
  const RecordedRun run = run_recorded(what);
  EXPECT_EQ(run.outcome.exit_code, 130) << run.outcome.err;
  EXPECT_LT(run.outcome.wall_s, 30);
  EXPECT_EQ(run.record.at("status"), "interrupted");
}

TEST(NcclOnASharedGpu, NeedsAVersionAndAVariable) {
  const auto args = [] {
    return std::vector<std::string>{"parity", "--devices", "cuda:0,0", "--batch", "8", "--algo", "nccl"};
  };
  expect_failed(run_on_gpus(args(), {{"NCCL_MULTI_RANK_GPU_ENABLE", "1"}}), 3,
                {"ranks 0 and 1 share GPU", "takes one rank per GPU", "--algo star"});
  expect_failed(run_on_gpus(args(), {{"DPX_FAKE_NCCL_VERSION", "23003"}}), 3,
                {"ranks 0 and 1 share GPU", "NCCL_MULTI_RANK_GPU_ENABLE=1", "--algo star"});
  expect_good(run_on_gpus(args(), {{"DPX_FAKE_NCCL_VERSION", "23003"}, {"NCCL_MULTI_RANK_GPU_ENABLE", "1"}}),
              "2.30.3 that shares");
}

RecordedRun links(const std::vector<std::string>& more, const Environment& env = {}) {
  std::vector<std::string> args{"links", "--bytes", "4096,16384,65536", "--iters", "1"};
  args.insert(args.end(), more.begin(), more.end());
  return record_on_gpus(args, env);
}

TEST(Links, NcclStandsBesideTheTransports) {
  const RecordedRun run = links({"--gpus", "2"}, {{"DPX_FAKE_PEER", "off"}, {"DPX_FAKE_POLICY", "random:4"}});
  expect_good(run.outcome, "two GPUs");
  std::set<std::string> measured;
  for (const json& row : run.record.at("cases"))
    if (row.at("key").at("transport") == "nccl") measured.insert(row.at("key").at("direction"));
  EXPECT_EQ(measured, (std::set<std::string>{"one way", "both ways"}));
  int fits = 0;
  for (const json& fit : run.record.at("verdict").at("fits")) fits += fit.at("transport") == "nccl";
  EXPECT_EQ(fits, 3) << "two ways, and both at once";
  for (const json& pair : run.record.at("verdict").at("peer_access")) {
    EXPECT_EQ(pair.at("works"), false);
    EXPECT_EQ(pair.at("reason"), "the GPUs have no peer access");
  }
}

TEST(Links, NcclIsLeftOutWithTheReasonWhereItCannotRun) {
  const RecordedRun run = links({"--devices", "cuda:0,0"});
  expect_good(run.outcome, "one GPU");
  const json& last = run.record.at("cases").back();
  EXPECT_EQ(last.at("key").at("transport"), "nccl");
  EXPECT_EQ(last.at("status"), "skipped");
  EXPECT_NE(last.at("reason").get<std::string>().find("share GPU"), std::string::npos);
}

// Peer access that another transport has switched on would make the driver's copies direct ones.
TEST(Links, TheDriverStagesEvenWherePeersWereProbedBefore) {
  const RecordedRun run = links({"--gpus", "2"});
  expect_good(run.outcome, "with peer access");
  for (const json& pair : run.record.at("verdict").at("peer_access")) EXPECT_EQ(pair.at("works"), true);
  std::map<std::string, double> beta_Bps;
  for (const json& fit : run.record.at("verdict").at("fits"))
    if (fit.at("link") == "cuda:0 -> cuda:1" && fit.at("beta_Bps").is_number())
      beta_Bps[fit.at("transport")] = fit.at("beta_Bps");
  EXPECT_LT(beta_Bps.at("driver"), 0.7 * beta_Bps.at("peer"));
}

}  // namespace
}  // namespace dpx::test
#endif
