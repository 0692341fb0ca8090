#pragma once
// Runs commands on devices whose passes take planted times (tests/fault/planted_backend.cpp).
#include <string>
#include <vector>

#include "tests/support/run_record.hpp"

namespace dpx::test {

/// `times` as DPX_PLANTED takes them: "t0=10ms,c=0.1ms,load=5ms,slow=2".
inline RecordedRun run_planted(const std::string& times, std::vector<std::string> args) {
  return run_recorded(Invocation{.program = DPX_PLANTED_EXECUTABLE,
                                 .args = std::move(args),
                                 .env = {{"DPX_PLANTED", times}},
                                 .timeout_s = 120});
}

/// The case of kind "step" in `mode` on `gpus` devices; null where there is none.
inline nlohmann::json step_case(const nlohmann::json& record, const std::string& mode, int gpus) {
  for (const auto& row : record["cases"])
    if (row["key"]["kind"] == "step" && row["key"]["mode"] == mode && row["key"]["gpus"] == gpus) return row;
  return nullptr;
}

}  // namespace dpx::test
