#include "lib/record/read_record.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(Exit::usage, fmt::format("{}: {}", where, why));
}

std::string major(std::string_view version) {
  return std::string(version.substr(0, version.find('.')));
}

}  // namespace

Json read_record(const std::string& path, const std::string& where) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(where, "cannot be read: is a directory");
  std::ifstream file(path);
  if (!file) refuse(where, std::string("cannot be read: ") + std::strerror(errno));
  Json document = Json::parse(file, nullptr, false);
  if (document.is_discarded()) refuse(where, "is no JSON document");
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string())
    refuse(where, "is no record of dpx: it has no \"schema\"");
  const std::string schema = document["schema"];
  if (major(schema) != major(kRecordSchema))
    refuse(where, fmt::format("has schema {}; this dpx reads {}.x", schema, major(kRecordSchema)));
  if (!document.contains("command") || !document["command"].is_string()) document["command"] = "?";
  return document;
}

Case read_case(const Json& row) {
  Case c;
  c.key = row.at("key");
  c.status = row.at("status");
  if (row.at("reason").is_string()) c.reason = row.at("reason");
  for (const Json& sample : row.at("samples_s")) c.samples_s.push_back(sample.get<double>());
  c.metrics = row.at("metrics");
  return c;
}

}  // namespace dpx
