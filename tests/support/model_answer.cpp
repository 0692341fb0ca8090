#include "tests/support/model_answer.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

namespace dpx::test {

using nlohmann::json;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string config(const std::string& name) {
  return "model --config " DPX_SOURCE_DIR "/configs/" + name;
}

json answer(const std::string& line) {
  const Outcome run = run_dpx(words_of(line + " --out -"));
  EXPECT_EQ(run.exit_code, 0) << line << "\n" << run.err;
  return json::parse(run.out, nullptr, false);
}

json metrics(const json& record, const json& key) {
  for (const json& row : record.value("cases", json::array())) {
    bool same = true;
    for (const auto& [name, value] : key.items()) same = same && row["key"].value(name, json()) == value;
    if (same) return row["metrics"];
  }
  ADD_FAILURE() << "no case " << key;
  return json::object();
}

double number(const json& record, const json& key, const char* name) {
  const json value = metrics(record, key).value(name, json());
  EXPECT_TRUE(value.is_number()) << key << " " << name << " " << value;
  return value.is_number() ? value.get<double>() : -1;
}

}  // namespace dpx::test
