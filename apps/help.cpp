#include "apps/help.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpx {
namespace {

// " TOPIC" for a command with such a word.
std::string positional_words(const Fields& fields) {
  std::string out;
  for (const auto& field : fields.all())
    if (field->is_positional()) {
      const std::string spellings = field->spellings();
      out.append(" ").append(spellings, 0, spellings.find(','));
    }
  return out;
}

}  // namespace

std::string help_text(const std::vector<Command>& commands) {
  std::string out =
      "dpx: experiments with data-parallel training\n\nUsage: dpx COMMAND [OPTIONS]\n"
      "       dpx COMMAND --help\n       dpx --version\n\nCommands:\n";
  for (const Command& command : commands) out += fmt::format("  {:<18}{}\n", command.name, command.help);
  return out +
         "\nExit codes: 0 done and checked, 1 internal error, 2 usage or config, 3 not available here, 4 a "
         "check failed,\n"
         "5 bad input data, 6 cannot write, 130 and 143 interrupted.\n";
}

std::string help_text(const Slot& slot) {
  std::string out = fmt::format("{}\n\nUsage: dpx {}{} [OPTIONS]\n", slot.row.help, slot.row.name,
                                positional_words(slot.fields));
  std::vector<std::string> groups;
  for (const auto& field : slot.fields.all())
    if (std::find(groups.begin(), groups.end(), field->group_title()) == groups.end())
      groups.push_back(field->group_title());
  for (const std::string& group : groups) {
    out += "\n" + group + ":\n";
    for (const auto& field : slot.fields.all())
      if (field->group_title() == group)
        out += fmt::format("  {:<24}{}\n", field->spellings(), field->help_line());
  }
  const std::string examples = slot.experiment->examples();
  return examples.empty() ? out : out + "\nExamples:\n" + examples;
}

}  // namespace dpx
