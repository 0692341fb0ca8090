#include "apps/shell_options.hpp"

#include "lib/core/error.hpp"

namespace dpx {
namespace {

void check_assignment(const std::string& text) {
  if (split_assignment(text).first.empty())
    throw Error(Exit::usage, "\"" + text + "\" is not of the form key=value");
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) return {};
  return {text.substr(0, at), text.substr(at + 1)};
}

void ShellOptions::declare(Fields& f) {
  const char* const group = "every command";
  f.text("config", &config, "JSON file with values of these options, or a record to repeat")
      .group(group)
      .command_line_only();
  f.text_list("set", &set, "one value, before the config file's; may be repeated", check_assignment,
              "key=value")
      .group(group)
      .command_line_only();
  f.text("out", &out, "where the record goes: FILE, - (stdout) or none; else results/COMMAND-TIME.json")
      .group(group)
      .run_only();
  f.flag("force", &force, "overwrite the file of --out").group(group).run_only();
  f.integer("seed", &seed, {0, INT64_MAX}, "of every random number").group(group);
  f.text_list("note", &note, "kept in the record; may be repeated", check_assignment, "key=value")
      .group(group);
  f.choice("progress", &progress, {"auto", "on", "off"}, "progress bar on stderr; auto: only on a terminal")
      .group(group)
      .run_only();
  f.choice("log-level", &log_level, {"trace", "debug", "info", "warn", "error", "off"},
           "of the messages on stderr")
      .group(group)
      .run_only();
  f.flag("quiet", &quiet, "errors only on stderr, no progress bar").alias("q").group(group).run_only();
  f.flag("dump-config", &dump_config, "print all values as a config file and stop")
      .group(group)
      .command_line_only();
  f.flag("help", &help, "print this and stop").alias("h").group(group).command_line_only();
}

}  // namespace dpx
