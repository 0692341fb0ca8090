#include "lib/core/child_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

ChildRun shell(const std::string& script, double silence_s = 60) {
  return {.program = "/bin/sh", .args = {"-c", script}, .silence_s = silence_s};
}

TEST(ChildProcess, ItsEndIsToldWithItsLastWords) {
  EXPECT_EQ(run_child(shell("echo first >&2; echo thrown away; echo last >&2; exit 3")).describe(),
            "exit code 3: last");
  EXPECT_EQ(run_child(shell("exit 0")).describe(), "exit code 0");
  const ChildEnd killed = run_child(shell("kill -SEGV $$"));
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.describe(), "killed by signal 11 (Segmentation fault)");
}

TEST(ChildProcess, GetsItsVariablesBesideThisProcessOnes) {
  ChildRun run = shell("test -n \"$PATH\" && echo \"$DPX_OF_CHILD\" >&2");
  run.env = {{"DPX_OF_CHILD", "a b=c"}};
  EXPECT_EQ(run_child(run).errors, "a b=c\n");
}

TEST(ChildProcess, MoreOutputThanAPipeHolds) {
  const ChildEnd end = run_child(shell("head -c 1000000 /dev/zero; head -c 300000 /dev/zero >&2"));
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.errors.size(), 300000u);
}

TEST(ChildProcess, OneThatIsSilentIsKilledWithItsOwnChildren) {
  const ChildEnd end = run_child(shell("sleep 600 & sleep 600", 0.3));
  EXPECT_TRUE(end.silent);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(ChildProcess, OneThatKeepsTalkingIsNot) {
  const ChildEnd end = run_child(shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done", 0.9));
  EXPECT_FALSE(end.silent);
  EXPECT_EQ(end.exit_code, 0);
}

TEST(ChildProcess, WhatCannotBeStartedIsNamed) {
  EXPECT_EQ(test::error_of([] { run_child({.program = "/nowhere/x"}); }, Exit::internal),
            "cannot start /nowhere/x");
}

TEST(ChildProcess, KnowsItsOwnProgram) {
  EXPECT_NE(own_program().find("unit_tests"), std::string::npos);
}

}  // namespace
}  // namespace dpx
