// The record's shape, and that no number that is not finite reaches the text; field case F094.
#include "lib/record/record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dpx {
namespace {

Record some_record() {
  return Record("toy", {{"batch", 4}});
}

TEST(RecordTest, HasEveryPart) {
  const Json d = some_record().document();
  std::vector<std::string> keys;
  for (const auto& [key, value] : d.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "command", "status", "reason", "config", "environment",
                                            "notes", "cases", "checks", "verdict"}));
  EXPECT_EQ(d["schema"], "1.0");
  EXPECT_EQ(d["config"]["batch"], 4);
  EXPECT_TRUE(d["reason"].is_null());
  EXPECT_TRUE(some_record().empty());
}

TEST(RecordTest, KeepsSamplesAndTheirSummary) {
  Record r = some_record();
  r.add_case({.key = {{"k", 2}}, .samples_s = {3, 1, 2}, .metrics = {{"busbw_GBps", 8.63}}});
  const Json row = r.document()["cases"][0];
  EXPECT_EQ(row["samples_s"].dump(), "[3.0,1.0,2.0]");
  EXPECT_EQ(row["summary"]["n"], 3);
  EXPECT_EQ(row["summary"]["median"], 2.0);
  EXPECT_EQ(row["metrics"]["busbw_GBps"], 8.63);
  EXPECT_TRUE(row["reason"].is_null());
  EXPECT_FALSE(r.empty());
}

TEST(RecordTest, WritesNullForWhatIsNotFinite) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  Record r = some_record();
  r.add_case({.status = "failed",
              .reason = "diverged",
              .samples_s = {nan, inf},
              .metrics = {{"loss", {{"a", -inf}}}}});
  r.add_check("finite", nan, inf, false);
  r.verdict()["deep"] = {1.0, {nan}};
  const Json d = Json::parse(r.text());
  EXPECT_EQ(d["cases"][0]["samples_s"].dump(), "[null,null]");
  EXPECT_TRUE(d["cases"][0]["summary"]["median"].is_null());
  EXPECT_TRUE(d["cases"][0]["metrics"]["loss"]["a"].is_null());
  EXPECT_TRUE(d["checks"][0]["value"].is_null());
  EXPECT_EQ(d["verdict"]["deep"].dump(), "[1.0,[null]]");
}

TEST(RecordTest, KnowsFailedChecks) {
  Record r = some_record();
  r.add_check("one", 1, 2, true);
  EXPECT_TRUE(r.all_checks_passed());
  r.add_check("two", 3, 2, false);
  EXPECT_FALSE(r.all_checks_passed());
  EXPECT_EQ(r.failed_checks(), std::vector<std::string>{"two"});
  r.set_status("failed", "why");
  EXPECT_EQ(r.status(), "failed");
  EXPECT_EQ(r.document()["reason"], "why");
}

TEST(RecordTest, CountsHardwareNotNames) {
  Record r = some_record();
  r.set_devices({{"cpu:0", "model", "cpu", 1}, {"cpu:1", "model", "cpu", 1}}, "cpu");
  EXPECT_EQ(r.environment()["distinct_devices"], 1);
  EXPECT_EQ(r.environment()["emulated"], true);
  EXPECT_EQ(r.environment()["backend"], "cpu");
  r.set_devices({{"cuda:0", "H", "0000:01", 0}, {"cuda:1", "H", "0000:02", 0}}, "cuda");
  EXPECT_EQ(r.environment()["distinct_devices"], 2);
  EXPECT_EQ(r.environment()["emulated"], false);
  EXPECT_TRUE(r.environment()["devices"][0]["threads"].is_null());
}

TEST(RecordTest, SurvivesBytesThatAreNoText) {
  Record r = some_record();
  r.add_note("path", "\xFF\xFE");
  EXPECT_NO_THROW(Json::parse(r.text()));
}

}  // namespace
}  // namespace dpx
