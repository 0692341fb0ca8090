#include "lib/core/fields.hpp"

#include <fmt/format.h>

#include "lib/core/error.hpp"
#include "lib/core/names.hpp"

namespace dpx {
namespace {

// A default as help shows it: texts without quotes, lists with commas.
std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(shown(item));
  return join(items, ",");
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return text;
}

}  // namespace

Field& Field::alias(std::string name) {
  aliases_.push_back(std::move(name));
  return *this;
}

Field& Field::group(std::string title) {
  group_ = std::move(title);
  return *this;
}

Field& Field::run_only() {
  run_only_ = true;
  return *this;
}

Field& Field::positional() {
  positional_ = true;
  return *this;
}

Field& Field::optional() {
  optional_ = true;
  return *this;
}

Field& Field::command_line_only() {
  run_only_ = command_line_only_ = true;
  return *this;
}

std::string Field::spellings() const {
  std::string out = "--" + name_;
  if (positional_) out = upper(name_) + ", " + out;
  for (const std::string& alias : aliases_) out += (alias.size() == 1 ? ", -" : ", --") + alias;
  return out;
}

std::string Field::help_line() const {
  std::string notes = allowed_;
  if (!default_.empty() && kind_ != Kind::flag && !optional_)
    notes += (notes.empty() ? "default " : "; default ") + default_;
  return notes.empty() ? help_ : help_ + " (" + notes + ")";
}

Field& Fields::add(std::string name, std::string help) {
  if (find(name)) throw Error(Exit::internal, "option --" + name + " is declared twice");
  fields_.push_back(std::make_unique<Field>());
  fields_.back()->name_ = std::move(name);
  fields_.back()->help_ = std::move(help);
  return *fields_.back();
}

Field& Fields::finish(Field& field) {
  field.default_ = shown(field.value_());
  return field;
}

const Field* Fields::find(std::string_view name) const {
  for (const auto& field : fields_)
    if (field->name_ == name) return field.get();
  return nullptr;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> out;
  for (const auto& field : fields_)
    if (!field->command_line_only_) out.push_back(field->name_);
  return out;
}

Field& Fields::find_or_refuse(std::string_view name, const std::string& where) {
  for (const auto& field : fields_)
    if (field->name_ == name) return *field;
  throw Error(Exit::usage, fmt::format("{}: unknown name; {}", where, suggestion(name, names())));
}

template <class Set>
void Fields::complete(Field& field, const std::string& where, Set set) {
  try {
    set();
  } catch (const Error& e) {
    const std::string allowed = field.allowed_.empty() ? "" : "; allowed: " + field.allowed_;
    throw Error(e.code(), where + ": " + e.what() + allowed);
  }
  field.was_set_ = true;
}

void Fields::set_text(std::string_view name, const std::vector<std::string>& texts,
                      const std::string& where) {
  Field& field = find_or_refuse(name, where);
  if (texts.size() != 1 && !field.is_list())
    throw Error(Exit::usage,
                fmt::format("{}: given {} times ({}); once is allowed", where, texts.size(), join(texts)));
  complete(field, where, [&] { field.from_text_(texts); });
}

void Fields::set_json(std::string_view name, const Json& value, const std::string& where) {
  Field& field = find_or_refuse(name, where);
  if (field.command_line_only_)
    throw Error(Exit::usage, fmt::format("{}: is an option of the command line only", where));
  complete(field, where, [&] { field.from_json_(value); });
}

Json Fields::resolved() const {
  Json out = Json::object();
  for (const auto& field : fields_)
    if (!field->run_only_ && (field->was_set_ || !field->optional_)) out[field->name_] = field->value_();
  return out;
}

}  // namespace dpx
