#pragma once
// Asking `dpx model` and picking numbers from its record.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace dpx::test {

/// A line's words, cut at blanks.
std::vector<std::string> words_of(const std::string& line);

/// "model --config configs/NAME", with the full path.
std::string config(const std::string& name);

/// The record of `dpx LINE`, written to stdout; a test failure unless it ends with 0.
nlohmann::json answer(const std::string& line);

/// Metrics of the first case whose key has all of `key`; a test failure when there is none.
nlohmann::json metrics(const nlohmann::json& record, const nlohmann::json& key);

/// One of its numbers; a test failure when it is none.
double number(const nlohmann::json& record, const nlohmann::json& key, const char* name);

}  // namespace dpx::test
