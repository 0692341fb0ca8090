#pragma once
// The command line's words, sorted into command and options. Values are judged by Fields, not here.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/experiment.hpp"
#include "apps/shell_options.hpp"

namespace dpx {

/// A command made ready to receive its options. Not movable: fields point into it.
struct Slot {
  explicit Slot(const Command& command);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  const Command& row;
  std::unique_ptr<Experiment> experiment;
  ShellOptions shell;
  Fields fields;
};

/// What was typed.
struct Arguments {
  Slot* slot = nullptr;  ///< null: no command
  bool help = false, version = false;
  std::map<std::string, std::vector<std::string>> values;  ///< option name -> every value given, in order
};

/// Sorts `words` (without the program's name) by `slots`.
/// Errors: Exit::usage: unknown command or option (with the nearest and all known), missing value, stray
/// word.
Arguments parse_arguments(const std::vector<std::string>& words,
                          const std::vector<std::unique_ptr<Slot>>& slots);

}  // namespace dpx
