#include "apps/commands/model/nccl_tests_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "lib/core/error.hpp"
#include "lib/core/fields.hpp"

namespace dpx {
namespace {

constexpr std::int64_t kMaxRanks = 1 << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Exit::usage, fmt::format("--nccl-tests {}: {}", path, why));
}

// Member `key` of an object; null when there is none.
Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : Json();
}

std::optional<double> number(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::int64_t positive(const Json& value, const char* key, const std::string& path) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > kMaxRanks)
    refuse(path, fmt::format("config.{} is no positive whole number", key));
  return value.get<std::int64_t>();
}

Json read_document(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  const Json document = Json::parse(file, nullptr, false);
  if (document.is_discarded()) refuse(path, "is no JSON document");
  const Json version = member(document, "version");
  if (!version.is_number_integer() || !member(document, "results").is_array() ||
      !member(document, "config").is_object())
    refuse(path, "is no file of nccl-tests: version, config or results is missing");
  if (version != 2 && version != 3)
    refuse(path, fmt::format("has version {}; 2 and 3 are understood", version.dump()));
  const Json args = member(document, "args");
  const std::string program =
      args.is_array() && !args.empty() && args[0].is_string() ? args[0].get<std::string>() : "";
  if (program.find("all_reduce") == std::string::npos)
    refuse(path,
           fmt::format("was written by \"{}\"; only all_reduce_perf has these three bandwidths", program));
  return document;
}

}  // namespace

NcclTestsFile read_nccl_tests(const std::string& path) {
  const Json document = read_document(path), config = member(document, "config");
  // The file lists one device per process, whatever number of GPUs the process drives.
  Json devices = member(config, "devices");
  if (devices.is_null()) devices = member(document, "devices");
  const std::int64_t processes = devices.is_array() && !devices.empty() ? std::int64_t(devices.size()) : 1;
  const std::int64_t ranks = positive(member(config, "nthreads"), "nthreads", path) *
                             positive(member(config, "ngpus"), "ngpus", path) * processes;
  if (ranks > kMaxRanks)
    refuse(path, fmt::format("names {} ranks; {} at most are understood", ranks, kMaxRanks));
  NcclTestsFile out;
  out.gpus = int(ranks);
  for (const Json& result : member(document, "results"))
    for (const bool in_place : {false, true}) {
      const Json part = member(result, in_place ? "in_place" : "out_of_place");
      const auto bytes = number(member(result, "size"));
      auto time_us = number(member(part, "time"));
      if (!time_us) time_us = number(member(part, "cpu_time"));
      if (part.is_null() || !bytes || !time_us) continue;  // not run, or "nan"
      NcclTestsRow row{*bytes, in_place, *time_us * 1e-6, number(member(part, "bus_bw")),
                       number(member(part, "nwrong"))};
      if (row.busbw_Bps) *row.busbw_Bps *= 1e9;
      out.rows.push_back(row);
    }
  if (out.rows.empty()) refuse(path, "holds no timed result");
  return out;
}

}  // namespace dpx
