#pragma once
// Runs dpx with a record in a temporary directory and reads it back.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace dpx::test {

struct RecordedRun {
  Outcome outcome;
  nlohmann::json record;  ///< null when none was written
  std::string text;       ///< the record as written
};

/// Runs `dpx args... --out RECORD`; a record that is written must hold to the schema, or the test fails.
RecordedRun run_recorded(std::vector<std::string> args);
/// The same with signals, environment and so on; `--out` is added to what.args.
RecordedRun run_recorded(Invocation what);

/// Fails the test unless scripts/validate_record.py accepts the file.
void expect_valid_record(const std::string& path);

/// Fails the test unless dpx ends with `exit_code` and one line on stderr that contains every one of `parts`.
void expect_refusal(const std::vector<std::string>& args, int exit_code,
                    const std::vector<std::string>& parts);

}  // namespace dpx::test
