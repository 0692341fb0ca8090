#include "apps/session.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "lib/core/config_file.hpp"
#include "lib/core/fd_stream.hpp"
#include "lib/core/interrupt.hpp"
#include "lib/core/names.hpp"
#include "lib/record/output.hpp"

namespace dpx {
namespace {

// Exit code and, where it is not ok, the reason for user and record.
struct Ending {
  Exit code = Exit::ok;
  std::string reason;
};

void apply_set(Slot& slot) {
  std::map<std::string, std::vector<std::string>> values;
  for (const std::string& assignment : slot.shell.set) {
    const auto [key, value] = split_assignment(assignment);
    values[key].push_back(value);
  }
  for (const auto& [key, texts] : values) {
    if (const Field* field = slot.fields.find(key); field && field->is_command_line_only())
      throw Error(Exit::usage, "--set " + key + ": is an option of the command line only");
    slot.fields.set_text(key, texts, "--set " + key);
  }
}

Ending run_experiment(Slot& slot, Run& run) {
  Ending end;
  try {
    slot.experiment->run(run);
  } catch (const Error& e) {
    end = {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    end = {Exit::unavailable, "out of memory"};
  } catch (const std::exception& e) {
    end = {Exit::internal, std::string("internal error: ") + e.what()};
  }
  run.progress.finish();
  // Whatever the interruption made fail on its way out is no fault of its own.
  if (const int number = interrupt_signal(); number != 0)
    end = {number == SIGTERM ? Exit::terminated : Exit::interrupted,
           number == SIGTERM ? "ended by SIGTERM" : "interrupted"};
  if (end.code == Exit::ok && !run.record.all_checks_passed())
    end = {Exit::check_failed, "check failed: " + join(run.record.failed_checks())};
  return end;
}

std::string_view status_of(Exit code) {
  if (code == Exit::ok) return "ok";
  return code == Exit::interrupted || code == Exit::terminated ? "interrupted" : "failed";
}

// Something was measured or found, or the run came to its end: then there is a record.
bool worth_keeping(const Record& record, Exit code) {
  return code == Exit::ok || status_of(code) == "interrupted" || !record.empty();
}

void keep_first(Ending& end, Exit code, const std::string& reason) {
  report(reason);
  if (end.code == Exit::ok) end.code = code;
}

}  // namespace

void report(const std::string& message) {
  std::string line = "dpx: " + message;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  fmt::print(stderr, "{}\n", line);
}

void print(const std::string& text) {
  FdStream out(STDOUT_FILENO);
  out << text;
  if (const int error = out.finish(); error != 0)
    throw Error(Exit::cannot_write, std::string("cannot write standard output: ") + std::strerror(error));
}

void apply_values(Slot& slot, const Arguments& arguments) {
  for (const char* name : {"config", "set"})
    if (const auto given = arguments.values.find(name); given != arguments.values.end())
      slot.fields.set_text(name, given->second, std::string("--") + name);
  if (slot.fields.find("config")->was_set())
    read_config(slot.shell.config, std::string(slot.row.name)).apply(slot.fields);
  apply_set(slot);
  for (const auto& [name, texts] : arguments.values) slot.fields.set_text(name, texts, "--" + name);
  slot.experiment->check();
}

Exit run_session(Slot& slot) {
  const std::string command(slot.row.name);
  const OutputTarget target(slot.shell.out, command, slot.shell.force);
  Record record(command, slot.fields.resolved());
  for (const std::string& note : slot.shell.note) {
    const auto [key, value] = split_assignment(note);
    record.add_note(key, value);
  }
  FdStream out(target.to_stdout() ? STDERR_FILENO : STDOUT_FILENO);
  Progress progress(slot.shell.quiet ? "off" : slot.shell.progress);
  Run run{record, out, progress, std::uint64_t(slot.shell.seed)};
  Ending end = run_experiment(slot, run);
  if (end.code != Exit::ok) {
    out.flush();
    report(end.reason);
  }
  if (!worth_keeping(record, end.code)) return end.code;

  record.set_status(status_of(end.code), end.reason);
  const std::string text = record.text();
  std::string kept;
  try {
    kept = target.write(text);
    if (!kept.empty()) {
      out << kept << '\n';
      kept = "the record is in " + kept;
    }
  } catch (const Error& e) {
    keep_first(end, e.code(), e.what());
  }
  if (const int error = out.finish(); error != 0) {
    if (target.to_nowhere()) kept = target.write_fallback(text);
    keep_first(end, Exit::cannot_write,
               fmt::format("cannot write standard output: {}{}{}", std::strerror(error),
                           kept.empty() ? "" : "; ", kept));
  }
  return end.code;
}

}  // namespace dpx
