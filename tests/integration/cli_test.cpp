// What the shell says to words it does not know; nothing here depends on a command's details.
#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/subprocess.hpp"

namespace dpx {
namespace {

using test::has;
using test::Outcome;
using test::run_dpx;

Outcome run_toy(std::vector<std::string> args) {
  args.insert(args.begin(), "toy");
  return test::run_process({.program = DPX_TOY_EXECUTABLE, .args = std::move(args)});
}

// Refused before any work: exit 2, one line on stderr that starts with "dpx: ", nothing on stdout.
void expect_refused(const Outcome& r, const std::string& message) {
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(has(r.err, "dpx: " + message));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  EXPECT_LT(r.wall_s, 10);
}

TEST(Shell, TellsItsVersionAndItsHelp) {
  const Outcome version = run_dpx({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(has(version.out, "dpx 0."));
  const Outcome help = run_dpx({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(has(help.out, "train", "parity", "Exit codes:"));
  const Outcome train = run_dpx({"train", "--help"});
  EXPECT_EQ(train.exit_code, 0);
  EXPECT_TRUE(has(train.out, "--batch", "default 256", "every command:", "--dump-config"));
  EXPECT_EQ(run_dpx({"train", "-h"}).out, train.out);
}

TEST(Shell, WithoutACommandGivesHelpAndFails) {
  const Outcome r = run_dpx({});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(has(r.err, "Commands:"));
}

TEST(Shell, RefusesUnknownWordsAndOffersTheNearest) {
  expect_refused(run_dpx({"trian"}),
                 "unknown command \"trian\"; did you mean \"train\"? Known: train, parity");
  expect_refused(run_dpx({"Train"}), "unknown command \"Train\"; did you mean \"train\"?");
  expect_refused(run_dpx({"qqqqqq"}), "unknown command \"qqqqqq\"; known: train");
  expect_refused(run_dpx({"--batch", "4", "train"}), "unexpected \"--batch\" before the command");
  expect_refused(run_dpx({"train", "--batchsize", "4"}),
                 "unknown option \"--batchsize\"; did you mean \"--batch\"?");
  expect_refused(run_dpx({"train", "--Batch=4"}), "unknown option \"--Batch\"; did you mean \"--batch\"?");
  expect_refused(run_dpx({"train", "-x"}), "unknown option \"-x\"; known: ");
  expect_refused(run_dpx({"train", "parity"}), "unexpected \"parity\"");
}

TEST(Shell, TakesNegativeNumbersForValues) {  // F041
  expect_refused(run_toy({"--gpus", "-1"}), "--gpus: \"-1\" is out of range; allowed: 1..256");
  expect_refused(run_toy({"-g", "-1"}), "--gpus: \"-1\" is out of range; allowed: 1..256");
  expect_refused(run_toy({"--batch=-256"}), "--batch: \"-256\" is out of range; allowed: 1..1048576");
  expect_refused(run_toy({"--rows", "-5"}), "--rows: \"-5\" is out of range");
  expect_refused(run_toy({"--lr", "-0.1"}), "--lr: \"-0.1\" is out of range; allowed: above 0");
  expect_refused(run_toy({"--bytes", "-1"}), "--bytes: size \"-1\": has a sign");
}

TEST(Shell, RefusesValuesThatAreMissingOrRepeated) {
  expect_refused(run_toy({"--batch"}), "--batch: needs a value");
  expect_refused(run_toy({"--batch="}), "--batch: needs a value after \"=\"");
  expect_refused(run_toy({"--batch", ""}), "--batch: \"\" is not a whole number");
  expect_refused(run_toy({"--batch", "4", "--batch", "4"}), "--batch: given 2 times (4, 4); once is allowed");
  expect_refused(run_toy({"-g", "2", "--gpus=4"}), "--gpus: given 2 times");
  expect_refused(run_toy({"--force", "--force"}), "--force: given 2 times");
  expect_refused(run_toy({"--batch", "[4]"}), "--batch: \"[4]\" is not a whole number");
  expect_refused(run_toy({"--batch", "4", "5"}), "unexpected \"5\"");
  expect_refused(run_toy({"--batch", "1"}), "--batch 1 is smaller than --gpus 2");
}

TEST(Shell, RefusesBadSettings) {
  expect_refused(run_toy({"--set", "batch"}), "--set: \"batch\" is not of the form key=value");
  expect_refused(run_toy({"--set", "=4"}), "--set: \"=4\" is not of the form key=value");
  expect_refused(run_toy({"--set", "batch=0"}), "--set batch: \"0\" is out of range");
  expect_refused(run_toy({"--set", "bach=4"}), "--set bach: unknown name; did you mean \"batch\"?");
  expect_refused(run_toy({"--set", "batch=4", "--set", "batch=8"}), "--set batch: given 2 times (4, 8)");
  expect_refused(run_toy({"--set", "config=x"}), "--set config: is an option of the command line only");
  expect_refused(run_toy({"--config", "/no/such.json"}), "--config /no/such.json: No such file or directory");
  expect_refused(run_toy({"--note", "x"}), "--note: \"x\" is not of the form key=value");
}

TEST(Shell, PutsTheCommandLineBeforeSetBeforeFileBeforeDefault) {
  const test::TempDir dir;
  const std::string file =
      dir.write("c.json", "{\"batch\": 11, \"rows\": 12, \"lr\": 0.5, \"note\": [\"a=1\"]}");
  const Outcome r = run_toy({"--dump-config", "--config", file, "--set", "batch=21", "--set", "rows=22",
                             "--batch", "31", "--note", "b=2", "--note", "c=3"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(
      has(r.out, "\"command\": \"toy\"", "\"batch\": 31", "\"rows\": 22", "\"lr\": 0.5", "\"gpus\": 2"));
  EXPECT_TRUE(has(r.out, "\"b=2\"", "\"c=3\""));
  EXPECT_EQ(r.out.find("a=1"), std::string::npos);
  // What was printed is a config file that resolves to itself.
  const Outcome again = run_toy({"--dump-config", "--config", dir.write("d.json", r.out)});
  EXPECT_EQ(again.out, r.out) << again.err;
}

TEST(Shell, ReadsNumbersTheSameInEveryLocale) {  // F092
  const test::TempDir dir;
  const std::string file = dir.write("c.json", "{\"lr\": 0.25}");
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    const Outcome r = test::run_process({.program = DPX_TOY_EXECUTABLE,
                                         .args = {"toy", "--config", file, "--row-s", "0.5", "--dump-config"},
                                         .env = {{"LC_ALL", locale}, {"LC_NUMERIC", locale}}});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "\"lr\": 0.25", "\"row-s\": 0.5"));
  }
}

}  // namespace
}  // namespace dpx
