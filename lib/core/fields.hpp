#pragma once
// One declaration = command line flag + JSON key + default + check + line of help.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dpx {

using Json = nlohmann::ordered_json;

/// Allowed whole numbers, both ends included.
struct IntBounds {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// Allowed real numbers; `above` excludes the lower end itself ("greater than 0").
struct RealBounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above = false;
};

/// One option. Made by Fields; the setters below return the field so that declarations read as one sentence.
class Field {
 public:
  /// A further spelling on the command line: "g" is -g, "begin" is --begin. Not a JSON key.
  Field& alias(std::string name);
  /// Title of the section of --help.
  Field& group(std::string title);
  /// Says how to run, not what: left out of the resolved config and of the record.
  Field& run_only();
  /// May also be given without its name, as the first word after the command. Not for flags.
  Field& positional();
  /// Has no default: left out of the resolved config unless given.
  Field& optional();
  /// As run_only, and refused as a JSON key and in --set.
  Field& command_line_only();

  const std::string& name() const { return name_; }
  /// True once a flag, --set or the config file gave a value.
  bool was_set() const { return was_set_; }
  bool is_flag() const { return kind_ == Kind::flag; }
  bool is_command_line_only() const { return command_line_only_; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_positional() const { return positional_; }
  const std::vector<std::string>& aliases() const { return aliases_; }
  const std::string& group_title() const { return group_; }
  /// "--batch, -b"; "TOPIC, --topic" for a positional one
  std::string spellings() const;
  /// One line: what it is for, allowed values, default.
  std::string help_line() const;

 private:
  friend class Fields;
  enum class Kind { value, flag, list };
  std::string name_, help_, allowed_, default_, group_ = "options";
  std::vector<std::string> aliases_;
  Kind kind_ = Kind::value;
  bool run_only_ = false, command_line_only_ = false, was_set_ = false;
  bool positional_ = false, optional_ = false;
  // Both throw std::string, the cause in words, which Fields completes with place, value found and values
  // allowed.
  std::function<void(const std::vector<std::string>&)> from_text_;
  std::function<void(const Json&)> from_json_;
  std::function<Json()> value_;
};

/// The options of one command. The default of a field is its target's value at the declaration; targets must
/// outlive the Fields.
class Fields {
 public:
  /// Strict whole number: no 2.0, no "2" in JSON, no size suffix.
  Field& integer(std::string name, int* target, IntBounds bounds, std::string help);
  Field& integer(std::string name, std::int64_t* target, IntBounds bounds, std::string help);
  /// Finite number.
  Field& real(std::string name, double* target, RealBounds bounds, std::string help);
  /// Size as parse_bytes reads it; in JSON a whole number or such a text. Units: bytes.
  Field& bytes(std::string name, std::int64_t* target, IntBounds bounds, std::string help);
  /// List or range as parse_sizes reads it; in JSON an array of whole numbers, one number, or such a text.
  Field& integers(std::string name, std::vector<std::int64_t>* target, IntBounds bounds, std::string help);
  Field& choice(std::string name, std::string* target, std::vector<std::string> values, std::string help);
  /// Comma-separated choices, each at most once; in JSON a text or an array of texts.
  Field& choices(std::string name, std::vector<std::string>* target, std::vector<std::string> values,
                 std::string help);
  Field& text(std::string name, std::string* target, std::string help);
  /// Text with a syntax of its own: `check` throws Error with the reason; `allowed` says in words what is
  /// accepted.
  Field& text(std::string name, std::string* target, std::function<void(const std::string&)> check,
              std::string allowed, std::string help);
  /// --name alone switches on; in JSON true or false.
  Field& flag(std::string name, bool* target, std::string help);
  /// --name on|off; in JSON true, false, "on" or "off".
  Field& on_off(std::string name, bool* target, std::string help);
  /// May be repeated on the command line; in JSON an array of texts. Given again at a higher precedence, it
  /// replaces.
  Field& text_list(std::string name, std::vector<std::string>* target, std::string help,
                   std::function<void(const std::string&)> check = {}, std::string allowed = "");

  /// Sets from the command line; `where` starts the message ("--batch", "--set batch").
  /// Errors: Exit::usage: unknown name (with the nearest), value refused, given more than once.
  void set_text(std::string_view name, const std::vector<std::string>& texts, const std::string& where);
  void set_text(std::string_view name, const std::string& text) {
    set_text(name, std::vector<std::string>{text}, "--" + std::string(name));
  }
  /// Sets from a config file. Errors: as set_text.
  void set_json(std::string_view name, const Json& value, const std::string& where);
  /// All that decides the run's outcome, in order of declaration; can be fed back through set_json.
  Json resolved() const;

  const std::vector<std::unique_ptr<Field>>& all() const { return fields_; }
  /// Null when unknown; finds names only, not aliases.
  const Field* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  Field& add(std::string name, std::string help);
  // Takes the target's value as the default.
  Field& finish(Field& field);
  template <class Set>
  static void complete(Field& field, const std::string& where, Set set);
  Field& find_or_refuse(std::string_view name, const std::string& where);
  template <class Int>
  Field& add_integer(std::string name, Int* target, IntBounds bounds, std::string help);
  std::vector<std::unique_ptr<Field>> fields_;
};

}  // namespace dpx
