#pragma once
// Reading a record that somebody may have edited: every access says what is missing, and where.
#include <optional>
#include <string>
#include <vector>

#include "lib/core/fields.hpp"

namespace dpx {

/// A JSON object of a record. Errors of every access: Exit::usage, "WHERE: PLACE.NAME is missing" or "... is
/// no number".
class RecordNumbers {
 public:
  /// `where` starts every message; `json` must be an object.
  RecordNumbers(Json json, std::string where, std::string place = "");

  double number(const std::string& name) const;
  /// Above 0.
  double positive(const std::string& name) const;
  /// A whole number from 1 to `max`.
  int count(const std::string& name, int max) const;
  double number_or(const std::string& name, double fallback) const;
  /// A number, or the "value" of an object; empty where absent or null.
  std::optional<double> maybe(const std::string& name) const;
  std::string text(const std::string& name) const;
  RecordNumbers object(const std::string& name) const;
  /// The objects of an array; other items are refused.
  std::vector<RecordNumbers> objects(const std::string& name) const;
  /// The numbers of an array; none where it is absent.
  std::vector<double> numbers(const std::string& name) const;
  const Json& json() const { return json_; }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const Json& find(const std::string& name) const;
  [[noreturn]] void refuse_member(const std::string& name, const std::string& why) const;
  Json json_;
  std::string where_, place_;
};

}  // namespace dpx
