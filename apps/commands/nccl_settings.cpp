#include "apps/commands/nccl_settings.hpp"

#include <fmt/ostream.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "lib/core/child_process.hpp"  // defines: run_child, own_program
#include "lib/core/interrupt.hpp"      // defines: interrupt_signal
#include "lib/record/read_record.hpp"  // defines: read_record, read_case

namespace dpx {
namespace {

/// A directory that is gone when this is.
class ScratchDir {
 public:
  ScratchDir() : path_((std::filesystem::temp_directory_path() / "dpx-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw Error(Exit::cannot_write, "cannot make a directory for child processes: " + path_);
  }
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// What came of one setting.
struct SettingEnd {
  std::string status = "ok";  ///< of the rows that are missing
  std::string reason = {};    ///< why they are
  Json record = nullptr;      ///< the child's, where it left one
};

/// This run, as a config for a child.
Json config_of_child(const Record& record) {
  Json config = record.document().at("config");
  config.erase("nccl-env");
  config["algo"] = kNccl;
  return config;
}

SettingEnd run_setting(const Record& record, const VariableSetting& setting, double timeout_s) {
  constexpr double kStart = 10;  // seconds, beside the collectives' own
  const ScratchDir dir;
  std::ofstream(dir / "config.json") << config_of_child(record).dump();
  ChildRun child{.program = own_program(),
                 .args = {"allreduce-bench", "--config", dir / "config.json", "--out", dir / "record.json",
                          "--progress", "off", "--log-level", "error"},
                 .env = setting.variables,
                 .silence_s = kStart + 2 * timeout_s};
  const ChildEnd end = run_child(child);
  SettingEnd result;
  if (end.silent)
    result.reason =
        fmt::format("killed: no row in {:g} s ({:g} s and twice --timeout)", child.silence_s, kStart);
  else if (end.exit_code != int(Exit::ok))
    result.reason = end.describe();
  if (!result.reason.empty()) result.status = interrupt_signal() != 0 ? "interrupted" : "failed";
  if (std::filesystem::exists(dir / "record.json"))
    result.record = read_record(dir / "record.json", "the record of " + setting.text());
  return result;
}

std::string why_absent(const Backend& backend, const VariableSetting& setting) {
  for (const auto& [name, value] : setting.variables)
    if (const std::string reason = backend.why_no_variable(name); !reason.empty()) return reason;
  return "";
}

bool is_row(const Json& key, std::int64_t gpus, std::int64_t bytes) {
  return key.at("kind") == "allreduce" && key.at("algo") == kNccl && key.at("gpus") == gpus &&
         key.at("bytes") == bytes;
}

/// The child's row, or one that says why there is none.
Case row_of(const SettingEnd& end, std::int64_t gpus, std::int64_t bytes, const BenchOptions& options) {
  if (end.record.is_object())
    for (const Json& row : end.record.at("cases"))
      if (is_row(row.at("key"), gpus, bytes)) return read_case(row);
  Case missing;
  missing.key = {
      {"kind", "allreduce"}, {"algo", kNccl}, {"gpus", gpus}, {"bytes", bytes}, {"dtype", options.dtype}};
  missing.status = end.status;
  missing.reason = end.reason;
  return missing;
}

void add_to_record(Record& record, const SettingEnd& end, const std::string& setting,
                   const BenchOptions& options) {
  for (const std::int64_t gpus : options.gpus)
    for (const std::int64_t bytes : options.sizes()) {
      Case row = row_of(end, gpus, bytes, options);
      row.key["nccl_env"] = setting;
      record.add_case(row);
    }
  if (end.record.is_object())
    for (const Json& check : end.record.at("checks"))
      record.add_check(fmt::format("{}: {}", setting, std::string(check.at("name"))), check.at("value"),
                       check.at("limit"), check.at("passed"));
  if (end.status != "skipped")
    record.add_check(fmt::format("{}: the child process ends well", setting), end.reason, "",
                     end.reason.empty());
}

/// What stands in a row's last two columns, or instead of its numbers.
std::string setting_text(const Case& row) {
  const Json& setting = row.key.at("nccl_env");
  return setting.is_null() ? "-" : setting.get<std::string>();
}

void print_setting(std::ostream& out, const Case& row, const Case& own) {
  if (row.samples_s.empty()) {
    fmt::print(out, "{:>10} {:<18} {}  {}\n", row.key.at("bytes").get<std::int64_t>(), std::string(kNccl),
               row.reason, setting_text(row));
    return;
  }
  const double speedup = summarize(own.samples_s).median / summarize(row.samples_s).median;
  fmt::print(out, "{} {:>7.2f}x  {}\n", row_text(row), speedup, setting_text(row));
}

void print_side_by_side(std::ostream& out, const Json& cases, const BenchOptions& options) {
  fmt::print(
      out,
      "\nNCCL's environment: '-' is this process's own, every other row a process with these variables\n");
  for (const std::int64_t gpus : options.gpus) {
    fmt::print(out, "{} device(s)\n{} {:>8}  setting\n", gpus, row_head(), "speedup");
    for (const std::int64_t bytes : options.sizes()) {
      std::vector<Case> rows;
      for (const Json& row : cases)
        if (is_row(row.at("key"), gpus, bytes)) rows.push_back(read_case(row));
      for (const Case& row : rows) print_setting(out, row, rows.front());
    }
  }
  out.flush();
}

}  // namespace

void run_nccl_settings(Run& run, const Backend& backend, const BenchOptions& options) {
  const std::vector<VariableSetting> settings = options.nccl_settings();
  run.progress.start("settings of NCCL", std::int64_t(settings.size()));
  std::int64_t done = 0;
  for (const VariableSetting& setting : settings) {
    SettingEnd end;
    if (const std::string absent = why_absent(backend, setting); !absent.empty())
      end = {"skipped", "absent: " + absent, nullptr};
    else
      end = run_setting(run.record, setting, options.gpu.timeout_s);
    add_to_record(run.record, end, setting.text(), options);
    run.progress.tick(++done);
    if (interrupt_signal() != 0) break;
  }
  run.progress.finish();
  print_side_by_side(run.out, run.record.document().at("cases"), options);
}

}  // namespace dpx
