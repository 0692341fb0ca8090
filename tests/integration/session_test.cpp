// From run to record and exit code, through the real shell; field cases F094 to F098.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.hpp"
#include "tests/support/subprocess.hpp"

namespace dpx {
namespace {

using nlohmann::json;
using test::has;
using test::Invocation;
using test::Outcome;

class SessionTest : public testing::Test {
 protected:
  Invocation toy(std::vector<std::string> args) const {
    args.insert(args.begin(), "toy");
    return {.program = DPX_TOY_EXECUTABLE, .args = std::move(args), .cwd = dir.path()};
  }
  Outcome run(std::vector<std::string> args) const { return test::run_process(toy(std::move(args))); }
  json record(const std::string& name = "r.json") const { return json::parse(test::read_file(dir / name)); }
  test::TempDir dir;
};

// The file that a message says the record is kept in; removes it.
json take_fallback(const std::string& err) {
  const std::size_t at = err.find("the record is kept in ");
  if (at == std::string::npos) return nullptr;
  const std::string path = err.substr(at + 22, err.find('\n', at) - at - 22);
  const json record = json::parse(test::read_file(path));
  std::filesystem::remove(path);
  return record;
}

TEST_F(SessionTest, LeavesARecordAndPrintsItsPathLast) {
  const Outcome r = run({"--note", "why=test"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const auto files = test::list_directory(dir / "results");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(r.out, "row 0\nrow 1\nresults/" + files[0] + "\n");
  const json j = record("results/" + files[0]);
  EXPECT_EQ(j["status"], "ok");
  EXPECT_EQ(j["cases"].size(), 2u);
  EXPECT_EQ(j["notes"]["why"], "test");
  EXPECT_EQ(j["config"]["batch"], 256);
  EXPECT_EQ(j["environment"]["distinct_devices"], 1);
  EXPECT_EQ(j["environment"]["emulated"], true);
}

TEST_F(SessionTest, RecordCanBeFedBack) {
  ASSERT_EQ(run({"--out", "r.json", "--batch", "77"}).exit_code, 0);
  const Outcome r = run({"--config", "r.json", "--dump-config"});
  EXPECT_TRUE(has(r.out, "\"batch\": 77")) << r.err;
}

TEST_F(SessionTest, PutsOnlyTheRecordOnStdoutWhenAsked) {
  const Outcome r = run({"--out", "-"});
  EXPECT_EQ(json::parse(r.out)["command"], "toy");
  EXPECT_TRUE(has(r.err, "row 0\nrow 1\n"));
  EXPECT_TRUE(test::list_directory(dir.path()).empty());
}

TEST_F(SessionTest, TurnsEveryEndIntoItsExitCode) {
  const std::vector<std::tuple<std::string, int, std::string>> ends = {
      {"check", 4, "dpx: check failed: toy\n"},
      {"error", 5, "dpx: toy data are damaged\n"},
      {"crash", 1, "dpx: internal error: toy fault\n"},
      {"memory", 3, "dpx: out of memory\n"},
  };
  for (const auto& [fail, code, message] : ends) {
    const Outcome r = run({"--fail", fail, "--out", fail + ".json"});
    EXPECT_EQ(r.exit_code, code) << r.err;
    EXPECT_EQ(r.err, message);
    const json j = record(fail + ".json");
    EXPECT_EQ(j["status"], "failed");
    EXPECT_EQ(j["cases"].size(), 2u) << "finished rows are kept";
    EXPECT_EQ("dpx: " + j["reason"].get<std::string>() + "\n", message);
  }
}

TEST_F(SessionTest, LeavesNoRecordWhenNothingWasFound) {
  EXPECT_EQ(run({"--fail", "error", "--rows", "0"}).exit_code, 5);
  EXPECT_TRUE(test::list_directory(dir / "results").empty());
}

TEST_F(SessionTest, WritesNoNaN) {  // F094
  ASSERT_EQ(run({"--fail", "nan", "--out", "r.json"}).exit_code, 0);
  EXPECT_TRUE(record()["cases"][0]["samples_s"][1].is_null());
  EXPECT_EQ(test::read_file(dir / "r.json").find("NaN"), std::string::npos);
}

TEST_F(SessionTest, RefusesTheOutputBeforeTheRun) {  // F095, F097
  dir.write("r.json", "old");
  const std::vector<std::tuple<std::string, int, std::string>> outputs = {
      {"r.json", 2, "--out r.json: exists; --force overwrites"},
      {"no/such/r.json", 6, "cannot write no/such/r.json: no directory no/such"},
      {".", 6, "cannot write .: Is a directory"},
      {"/proc/r.json", 6, "cannot write /proc/r.json"},
  };
  for (const auto& [out, code, message] : outputs) {
    const Outcome r = run({"--out", out, "--row-s", "60"});
    EXPECT_EQ(r.exit_code, code) << out;
    EXPECT_TRUE(has(r.err, message));
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(test::read_file(dir / "r.json"), "old");
  EXPECT_EQ(run({"--out", "r.json", "--force"}).exit_code, 0);
  EXPECT_EQ(record()["status"], "ok");
}

TEST_F(SessionTest, LosesNothingToAFullDisk) {  // F096
  const Outcome r = run({"--out", "/dev/full"});
  EXPECT_EQ(r.exit_code, 6);
  EXPECT_TRUE(has(r.err, "dpx: cannot write /dev/full: No space left on device"));
  EXPECT_TRUE(has(r.out, "row 1"));
  EXPECT_EQ(take_fallback(r.err)["cases"].size(), 2u);
}

TEST_F(SessionTest, LosesNothingToAFullStdout) {  // F096
  for (const char* const out : {"r.json", "none", "-"}) {
    Invocation i = toy({"--out", out});
    i.stdout_path = "/dev/full";
    const Outcome r = test::run_process(i);
    EXPECT_EQ(r.exit_code, 6) << r.err;
    EXPECT_TRUE(has(r.err, "dpx: cannot write standard output: No space left on device"));
    const json kept = std::string(out) == "r.json" ? record() : take_fallback(r.err);
    EXPECT_EQ(kept["cases"].size(), 2u) << r.err;
  }
  for (const char* const word : {"--version", "--help"}) {
    const Outcome r =
        test::run_process({.program = DPX_EXECUTABLE, .args = {word}, .stdout_path = "/dev/full"});
    EXPECT_EQ(r.exit_code, 6) << r.err;
  }
}

TEST_F(SessionTest, KeepsFinishedRowsWhenInterrupted) {  // F098
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    Invocation i = toy({"--out", "r.json", "--force", "--rows", "1000", "--row-s", "0.05"});
    i.signal = signal;
    i.signal_after_text = "row 1";
    const Outcome r = test::run_process(i);
    EXPECT_EQ(r.exit_code, code) << r.err;
    const json j = record();
    EXPECT_EQ(j["status"], "interrupted");
    EXPECT_GE(j["cases"].size(), 2u);
    EXPECT_LT(j["cases"].size(), 1000u);
  }
}

TEST_F(SessionTest, EndsAtOnceAtTheSecondInterrupt) {  // F098
  Invocation i = toy({"--fail", "hang", "--out", "r.json"});
  i.signal = SIGINT;
  i.signal_after_text = "row 1";
  i.signal_count = 100;  // until it has ended: signals that arrive together count as one
  const Outcome r = test::run_process(i);
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.exit_code, 130);
  EXPECT_FALSE(std::filesystem::exists(dir / "r.json"));
}

TEST_F(SessionTest, KeepsTheOldFileWhenKilledDuringTheRun) {  // F095
  dir.write("r.json", "old");
  Invocation i = toy({"--fail", "hang", "--out", "r.json", "--force"});
  i.signal = SIGKILL;
  i.signal_after_text = "row 1";
  EXPECT_EQ(test::run_process(i).signal, SIGKILL);
  EXPECT_EQ(test::read_file(dir / "r.json"), "old");
}

TEST_F(SessionTest, RecordsMatchTheSchema) {
  for (const char* const fail : {"none", "check", "error", "nan"}) {
    const std::string file = std::string(fail) + ".json";
    run({"--fail", fail, "--out", file, "--note", "a=b"});
    const Outcome r = test::validate_record(dir / file);
    EXPECT_EQ(r.exit_code, 0) << fail << r.err;
  }
}

TEST_F(SessionTest, SchemaCatchesPlantedFaults) {
  ASSERT_EQ(run({"--out", "r.json"}).exit_code, 0);
  const json good = record();
  const std::vector<std::pair<std::string, json>> faults = {
      {"/schema", "2.0"},
      {"/status", "fine"},
      {"/status", "failed"},  // without a reason
      {"/config", nullptr},
      {"/environment/cores", "2"},
      {"/environment/emulated", nullptr},
      {"/cases/0/summary/median", "1.0"},
      {"/cases/0/samples_s/0", "0.5"},
      {"/cases/0/status", "failed"},
      {"/checks/0/passed", false},  // in a record whose status is ok
      {"/checks/0/passed", 1},
      {"/notes/a", 1},
  };
  for (const auto& [place, value] : faults) {
    json bad = good;
    bad[json::json_pointer(place)] = value;
    EXPECT_EQ(test::validate_record(dir.write("bad.json", bad.dump())).exit_code, 1) << place << " " << value;
  }
  for (const auto& [key, value] : good.items()) {
    json bad = good;
    bad.erase(key);
    EXPECT_EQ(test::validate_record(dir.write("bad.json", bad.dump())).exit_code, 1) << "without " << key;
  }
  json extended = good;
  extended["later"] = 1;
  extended["cases"][0]["later"] = 1;
  EXPECT_EQ(test::validate_record(dir.write("more.json", extended.dump())).exit_code, 0)
      << "readers ignore unknown fields";
  EXPECT_EQ(test::validate_record(dir.write("nan.json", "{\"schema\": NaN}")).exit_code, 1);
  EXPECT_EQ(test::validate_record(dir / "none.json").exit_code, 2);
}

}  // namespace
}  // namespace dpx
