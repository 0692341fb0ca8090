#include "tests/support/run_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace dpx::test {

void expect_valid_record(const std::string& path) {
  const Outcome r = validate_record(path);
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

RecordedRun run_recorded(std::vector<std::string> args) {
  return run_recorded(Invocation{.program = DPX_EXECUTABLE, .args = std::move(args), .timeout_s = 300});
}

RecordedRun run_recorded(Invocation what) {
  const TempDir dir;
  const std::string path = dir / "record.json";
  what.args.insert(what.args.end(), {"--out", path});
  RecordedRun run{run_process(what), nullptr, ""};
  EXPECT_FALSE(run.outcome.timed_out);
  if (std::filesystem::exists(path)) {
    expect_valid_record(path);
    run.text = read_file(path);
    run.record = nlohmann::json::parse(run.text);
  }
  return run;
}

void expect_refusal(const std::vector<std::string>& args, int exit_code,
                    const std::vector<std::string>& parts) {
  std::string command;
  for (const std::string& arg : args) command += arg + " ";
  SCOPED_TRACE(command);
  const Outcome r = run_dpx(args);
  EXPECT_EQ(r.exit_code, exit_code) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  for (const std::string& part : parts)
    EXPECT_NE(r.err.find(part), std::string::npos) << part << " in: " << r.err;
  EXPECT_LT(r.wall_s, 30);
}

}  // namespace dpx::test
