#include "apps/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

std::vector<std::string> command_names(const std::vector<std::unique_ptr<Slot>>& slots) {
  std::vector<std::string> out;
  for (const auto& slot : slots) out.emplace_back(slot->row.name);
  return out;
}

std::vector<std::string> option_names(const Fields& fields) {
  std::vector<std::string> out;
  for (const auto& field : fields.all()) {
    out.push_back("--" + field->name());
    for (const std::string& alias : field->aliases()) out.push_back((alias.size() == 1 ? "-" : "--") + alias);
  }
  return out;
}

// Every option takes exactly one text, whatever it looks like: "-1" must reach the range check.
CLI::Option* add_option(CLI::App& app, const Field& field) {
  std::string names = (field.is_positional() ? field.name() + "," : "") + "--" + field.name();
  for (const std::string& alias : field.aliases()) names += (alias.size() == 1 ? ",-" : ",--") + alias;
  CLI::Option* option = nullptr;
  if (field.is_flag()) {
    option = app.add_flag(names);
  } else {
    option = app.add_option(names)->type_size(1)->expected(1)->allow_extra_args(false);
  }
  // Repetition is for Fields to judge.
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

[[noreturn]] void refuse_word(const std::string& word, const Slot& slot) {
  if (!word.starts_with("-") || word == "-" || word == "--") {
    const auto positional = std::count_if(slot.fields.all().begin(), slot.fields.all().end(),
                                          [](const auto& field) { return field->is_positional(); });
    throw Error(Exit::usage, fmt::format("unexpected \"{}\"; {} takes {} (--name value)", word, slot.row.name,
                                         positional == 0 ? "options only"
                                                         : fmt::format("{} word, then options", positional)));
  }
  const std::string name = word.substr(0, word.find('='));
  throw Error(Exit::usage, unknown_name("option", name, option_names(slot.fields)));
}

// CLI11 would take the word after "--name=" as its value.
void refuse_empty_values(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1)
      throw Error(Exit::usage, fmt::format("{}: needs a value after \"=\"", word.substr(0, word.size() - 1)));
}

void parse(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string text = e.what();
    throw Error(Exit::usage, text.substr(0, text.find(':')) + ": needs a value");
  } catch (const CLI::Error& e) {
    throw Error(Exit::usage, e.what());
  }
}

}  // namespace

Slot::Slot(const Command& command) : row(command), experiment(command.make()) {
  experiment->declare(fields);
  shell.out = experiment->default_out();
  shell.declare(fields);
}

Arguments parse_arguments(const std::vector<std::string>& words,
                          const std::vector<std::unique_ptr<Slot>>& slots) {
  refuse_empty_values(words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.require_subcommand(0, 1);
  const CLI::Option* const help = app.add_flag("--help,-h");
  const CLI::Option* const version = app.add_flag("--version");
  std::map<std::string, std::map<std::string, CLI::Option*>> options;
  for (const auto& slot : slots) {
    CLI::App* const sub = app.add_subcommand(std::string(slot->row.name));
    sub->set_help_flag();
    sub->allow_extras();
    for (const auto& field : slot->fields.all())
      options[sub->get_name()][field->name()] = add_option(*sub, *field);
  }
  parse(app, words);

  Arguments out;
  out.help = help->count() > 0;
  out.version = version->count() > 0;
  const std::vector<std::string> stray = app.remaining();
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !stray.empty() && !stray[0].starts_with("-"))
    throw Error(Exit::usage, unknown_name("command", stray[0], command_names(slots)));
  if (!stray.empty())
    throw Error(Exit::usage,
                fmt::format("unexpected \"{}\" before the command; options follow it", stray[0]));
  if (chosen.empty()) return out;

  for (const auto& slot : slots)
    if (slot->row.name == chosen[0]->get_name()) out.slot = slot.get();
  for (const auto& [name, option] : options[chosen[0]->get_name()])
    if (option->count() > 0) out.values[name] = option->results();
  out.help = out.help || out.values.contains("help");
  if (const auto rest = chosen[0]->remaining(); !out.help && !rest.empty()) refuse_word(rest[0], *out.slot);
  return out;
}

}  // namespace dpx
