#pragma once
// The JSON document that every command leaves behind; configs/schema/result.schema.json describes it.
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/fields.hpp"
#include "lib/device/device.hpp"

namespace dpx {

/// Format of the record; readers refuse another number before the dot and ignore unknown fields.
inline constexpr std::string_view kRecordSchema = "1.0";

/// One measured row.
struct Case {
  Json key = Json::object();           ///< what varies between the rows: {"bytes": 1024, "algo": "ring"}
  std::string status = "ok";           ///< ok, failed, skipped or interrupted
  std::string reason = {};             ///< why it is not ok; written as null when empty
  std::vector<double> samples_s = {};  ///< every timed repetition; the summary is computed from them
  Json metrics = Json::object();       ///< derived numbers with the unit in the name: {"busbw_GBps": 12.3}
};

/// The record of one run. Numbers that are not finite become null in the document.
class Record {
 public:
  Record(std::string command, Json resolved_config);

  void add_case(const Case& row);
  /// `value` against `limit` (numbers, texts or null). One failed check makes the run end with
  /// Exit::check_failed.
  void add_check(const std::string& name, Json value, Json limit, bool passed);
  /// Free fields of the command: what the run showed.
  Json& verdict() { return document_["verdict"]; }
  Json& environment() { return document_["environment"]; }
  /// From the running objects: `devices` as Device::info() gives them, `backend` as the backend calls itself.
  void set_devices(const std::vector<DeviceInfo>& devices, const std::string& backend);
  void add_note(const std::string& key, const std::string& value);
  /// `status`: ok, failed or interrupted; `reason` is written as null when empty.
  void set_status(std::string_view status, std::string_view reason = "");

  std::string status() const;
  bool all_checks_passed() const;
  /// Names of the failed checks.
  std::vector<std::string> failed_checks() const;
  std::size_t num_cases() const { return document_.at("cases").size(); }
  bool empty() const;
  /// The document with every number that is not finite replaced by null.
  Json document() const;
  /// The document as text, one line end at the end.
  std::string text() const;

 private:
  Json document_;
};

}  // namespace dpx
