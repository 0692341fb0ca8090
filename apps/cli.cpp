#include "apps/cli.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <new>

#include "apps/arguments.hpp"
#include "apps/help.hpp"
#include "apps/session.hpp"
#include "dpx_version.hpp"
#include "lib/core/interrupt.hpp"

namespace dpx {
namespace {

void start_log(const ShellOptions& shell) {
  auto logger =
      std::make_shared<spdlog::logger>("dpx", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("dpx: %^%l%$: %v");
  logger->set_level(spdlog::level::from_str(shell.quiet ? "error" : shell.log_level));
  spdlog::set_default_logger(std::move(logger));
}

std::string version_text() {
  return fmt::format("dpx {} ({}{}, {}, {})\n", build::kVersion, build::kGitSha,
                     build::kDirty ? ", dirty" : "", build::kCompiler, build::kBuildType);
}

std::string config_text(const Slot& slot) {
  Json config = {{"command", slot.row.name}};
  config.update(slot.fields.resolved());
  return config.dump(2) + "\n";
}

Exit run_words(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  std::vector<std::unique_ptr<Slot>> slots;
  for (const Command& command : commands) slots.push_back(std::make_unique<Slot>(command));
  const Arguments arguments = parse_arguments(words, slots);
  if (arguments.version) {
    print(version_text());
    return Exit::ok;
  }
  if (arguments.help) {
    print(arguments.slot ? help_text(*arguments.slot) : help_text(commands));
    return Exit::ok;
  }
  if (!arguments.slot) {
    fmt::print(stderr, "{}", help_text(commands));
    return Exit::usage;
  }
  Slot& slot = *arguments.slot;
  apply_values(slot, arguments);
  if (slot.shell.dump_config) {
    print(config_text(slot));
    return Exit::ok;
  }
  start_log(slot.shell);
  return run_session(slot);
}

Exit run_reporting(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  try {
    return run_words(words, commands);
  } catch (const Error& e) {
    report(e.what());
    return e.code();
  } catch (const std::bad_alloc&) {
    report("out of memory");
    return Exit::unavailable;
  } catch (const std::exception& e) {
    report(std::string("internal error: ") + e.what());
    return Exit::internal;
  }
}

}  // namespace

int run_cli(int argc, const char* const* argv, const std::vector<Command>& commands) {
  install_signal_handlers();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return int(run_reporting(words, commands));
}

}  // namespace dpx
