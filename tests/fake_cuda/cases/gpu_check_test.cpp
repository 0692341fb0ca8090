// scripts/gpu_check.sh on the double: every command of it runs, its records are there, its report judges
// them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fake_cuda/cases/fake_run.hpp"

namespace dpx::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class GpuCheck : public testing::Test {
 protected:
  Outcome run_quick(std::vector<std::string> args, Environment env = {}) {
    args.insert(args.end(), {"-q", "-d", std::filesystem::path(DPX_EXECUTABLE).parent_path().string()});
    return run(std::move(args), std::move(env));
  }
  Outcome run(std::vector<std::string> args, Environment env = {}) {
    const std::string source = DPX_SOURCE_DIR;
    args.insert(args.begin(), {source + "/scripts/gpu_check.sh", "-o", out_.path()});
    env = with_defaults(std::move(env),
                        {{"DPX_FAKE_GPUS", "2"},
                         {"DPX_FAKE_TWINS", std::string(FAKE_LIBRARIES) + "/libfake_dpx_twins.so"},
                         {"DPX_FAKE_RACES", "off"},  // looked for in the tests of the same commands
                         {"LD_LIBRARY_PATH", FAKE_LIBRARIES},
                         {"PATH", source + "/tests/fake_cuda/nvidia_smi:" + std::getenv("PATH")}});
    return run_process(
        {.program = "/bin/bash", .args = std::move(args), .env = std::move(env), .timeout_s = 300});
  }
  /// Runs `checks` and expects each of `names` to be called ok.
  void expect_ok(const std::string& checks, const std::vector<std::string>& names, Environment env = {}) {
    const Outcome outcome = run_quick({"-c", checks}, std::move(env));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    const std::string summary = contents(out_.path() + "/summary.txt");
    for (const std::string& name : names)
      EXPECT_NE(summary.find("ok        " + name + ":"), std::string::npos) << name << "\n" << summary;
    std::vector<std::string> records;
    for (const auto& entry : std::filesystem::directory_iterator(out_.path()))
      if (entry.path().extension() == ".json") records.push_back(entry.path().string());
    const Outcome valid = validate_records(records);
    EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.err;
  }
  /// Fails the test unless the report has a line that begins with `start` and holds `part`.
  void expect_reported(const std::string& start, const std::string& part) {
    std::istringstream report(contents(out_.path() + "/report.txt"));
    for (std::string line; std::getline(report, line);)
      if (line.starts_with(start)) {
        EXPECT_NE(line.find(part), std::string::npos) << line;
        return;
      }
    FAIL() << "no line " << start << " in\n" << report.str();
  }
  TempDir out_;
};

TEST_F(GpuCheck, CeilingsDeterminismAndParity) {
  expect_ok("ceilings,determinism,parity",
            {"ceilings", "host-links", "determinism-on-1", "determinism-off-2", "determinism",
             "parity-3-star", "parity-3-ring", "parity-staged", "parity-tf32", "parity-gpus", "mutations"});
  expect_reported("100 steps twice", "as predicted");
  expect_reported("update on k replicas", "not measured: no batch of 256");
  expect_reported("planted faults caught", "as predicted");
  expect_reported("pinned copies, both", "GB/s");
}

TEST_F(GpuCheck, EpochsScalingAndOverlap) {
  expect_ok("epoch,scaling,overlap", {"epoch-fp32-graph-on-1", "epoch-tf32-graph-off-1", "scaling",
                                      "overlap-two-1", "overlap-one-1", "overlap-alone"});
  expect_reported("one epoch, fp32, graph on", "not measured: no 60000 examples");
  expect_reported("nodes of a step's graph", "as predicted");
  expect_reported("(b) end of backward pass", " us");
  expect_reported("(c) the same", " us");
}

TEST_F(GpuCheck, AllreducesAndNccl) {
  std::vector<std::string> names{"links-shared", "allreduce-shared", "allreduce-shared-staged",
                                 "links",        "allreduce-2",      "allreduce-2-staged"};
#ifdef FAKE_NCCL
  names.insert(names.end(), {"allreduce-all", "nccl-1", "nccl-shared"});
#endif
  expect_ok("allreduce,nccl", names);
  expect_reported("star of 256 MiB on 2 GPUs", "not measured");
  expect_reported("one epoch, fp32", "not measured");
}

TEST_F(GpuCheck, OneGpuHasItsOwnChecks) {
  expect_ok("overlap", {"overlap-two-1", "overlap-alone"}, {{"DPX_FAKE_GPUS", "1"}});
  expect_reported("(a) step on 2", "needs two GPUs");
}

// The real sizes take a real GPU; whether dpx knows every option of a whole run does not.
TEST_F(GpuCheck, CommandsOfAWholeRunAreAccepted) {
  const TempDir build;
  const std::string stub = build / "dpx";
  std::ofstream(stub) << "#!/bin/sh\nexec '" DPX_EXECUTABLE "' \"$@\" --dump-config\n";
  std::filesystem::permissions(stub, std::filesystem::perms::owner_all);
  for (const char* gpus : {"1", "4"}) {
    const Outcome outcome =
        run({"-d", build.path(), "-c", "ceilings,parity,epoch,scaling,allreduce,nccl,overlap"},
            {{"DPX_FAKE_GPUS", gpus}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("ok        overlap-two-4:"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("left out  device copies"), std::string::npos) << outcome.out;
  }
}

TEST_F(GpuCheck, FailuresAreNamed) {
  const Outcome outcome = run_quick({"-c", "scaling"}, {{"DPX_FAKE_FAIL", "kernel:1:700"}});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("FAILED    scaling: exit"), std::string::npos) << outcome.out;
  expect_reported("t = t0 + c b at width 1", "not measured");
}

TEST_F(GpuCheck, WhenTimeIsUpTheRestIsLeftOut) {
  const Outcome outcome = run_quick({"-s", "0"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const char* name : {"kernels", "parity-3-star", "epoch-tf32-graph-off-1", "overlap-alone"})
    EXPECT_NE(outcome.out.find(std::string("left out  ") + name + ": no time left"), std::string::npos)
        << outcome.out;
  expect_reported("planted faults caught", "not measured");
}

TEST_F(GpuCheck, WhatCannotBeIsRefused) {
  EXPECT_EQ(run_quick({}, {{"DPX_FAKE_GPUS", "0"}}).exit_code, 3);
  const Outcome unknown = run_quick({"-c", "parity,speed"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("-c speed: no such check"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace dpx::test
