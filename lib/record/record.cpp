#include "lib/record/record.hpp"

#include <cmath>

#include "lib/measure/statistics.hpp"
#include "lib/record/environment.hpp"

namespace dpx {
namespace {

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

void replace_non_finite(Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) value = nullptr;
  if (value.is_structured())
    for (Json& item : value) replace_non_finite(item);
}

Json to_json(const Summary& s) {
  return {{"n", s.n},     {"min", s.min}, {"median", s.median}, {"mean", s.mean},
          {"p95", s.p95}, {"p99", s.p99}, {"max", s.max},       {"cv", s.cv}};
}

}  // namespace

Record::Record(std::string command, Json resolved_config) {
  document_["schema"] = kRecordSchema;
  document_["command"] = std::move(command);
  document_["status"] = "ok";
  document_["reason"] = nullptr;
  document_["config"] = std::move(resolved_config);
  document_["environment"] = capture_environment();
  document_["notes"] = Json::object();
  document_["cases"] = Json::array();
  document_["checks"] = Json::array();
  document_["verdict"] = Json::object();
}

void Record::add_case(const Case& row) {
  document_["cases"].push_back({{"key", row.key},
                                {"status", row.status},
                                {"reason", text_or_null(row.reason)},
                                {"samples_s", row.samples_s},
                                {"summary", to_json(summarize(row.samples_s))},
                                {"metrics", row.metrics}});
}

void Record::add_check(const std::string& name, Json value, Json limit, bool passed) {
  document_["checks"].push_back(
      {{"name", name}, {"value", std::move(value)}, {"limit", std::move(limit)}, {"passed", passed}});
}

void Record::set_devices(const std::vector<DeviceInfo>& devices, const std::string& backend) {
  describe_devices(environment(), devices, backend);
}

void Record::add_note(const std::string& key, const std::string& value) {
  document_["notes"][key] = value;
}

void Record::set_status(std::string_view status, std::string_view reason) {
  document_["status"] = status;
  document_["reason"] = text_or_null(reason);
}

std::string Record::status() const {
  return document_.at("status").get<std::string>();
}

std::vector<std::string> Record::failed_checks() const {
  std::vector<std::string> out;
  for (const Json& check : document_.at("checks"))
    if (!check.at("passed").get<bool>()) out.push_back(check.at("name").get<std::string>());
  return out;
}

bool Record::all_checks_passed() const {
  return failed_checks().empty();
}

bool Record::empty() const {
  return document_.at("cases").empty() && document_.at("checks").empty() && document_.at("verdict").empty();
}

Json Record::document() const {
  Json out = document_;
  replace_non_finite(out);
  return out;
}

std::string Record::text() const {
  // Paths and variables may hold bytes that are no UTF-8; a result must not be lost over them.
  return document().dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dpx
