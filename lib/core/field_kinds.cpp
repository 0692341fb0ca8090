// The kinds of fields: how each reads text and JSON, and what it says is allowed.
#include <fmt/format.h>

#include "lib/core/error.hpp"
#include "lib/core/field_values.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx {

template <class Int>
Field& Fields::add_integer(std::string name, Int* target, IntBounds bounds, std::string help) {
  bounds.min = std::max<std::int64_t>(bounds.min, std::numeric_limits<Int>::min());
  bounds.max = std::min<std::int64_t>(bounds.max, std::numeric_limits<Int>::max());
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = values::allowed(bounds);
  field.from_text_ = [=](const auto& texts) { *target = Int(values::integer(texts[0], bounds)); };
  field.from_json_ = [=](const Json& value) { *target = Int(values::integer(value, bounds)); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::integer(std::string name, int* target, IntBounds bounds, std::string help) {
  return add_integer(std::move(name), target, bounds, std::move(help));
}

Field& Fields::integer(std::string name, std::int64_t* target, IntBounds bounds, std::string help) {
  return add_integer(std::move(name), target, bounds, std::move(help));
}

Field& Fields::real(std::string name, double* target, RealBounds bounds, std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = values::allowed(bounds);
  field.from_text_ = [=](const auto& texts) { *target = values::real(texts[0], bounds); };
  field.from_json_ = [=](const Json& value) { *target = values::real(value, bounds); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::bytes(std::string name, std::int64_t* target, IntBounds bounds, std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = values::allowed(bounds) + " bytes, written " + std::string(kSizeSyntax);
  field.from_text_ = [=](const auto& texts) { *target = values::bytes(texts[0], bounds); };
  field.from_json_ = [=](const Json& value) { *target = values::bytes(value, bounds); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::integers(std::string name, std::vector<std::int64_t>* target, IntBounds bounds,
                        std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = values::allowed(bounds) + " each, as 1,2,4 or 1K:256M:x4 or 32:1024:+32";
  field.from_text_ = [=](const auto& texts) { *target = values::integers(texts[0], bounds); };
  field.from_json_ = [=](const Json& value) { *target = values::integers(value, bounds); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::choice(std::string name, std::string* target, std::vector<std::string> known,
                      std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = join(known);
  field.from_text_ = [=](const auto& texts) { *target = values::choice(texts[0], known); };
  field.from_json_ = [=](const Json& value) { *target = values::choice(values::text(value), known); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::choices(std::string name, std::vector<std::string>* target, std::vector<std::string> known,
                       std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = "one or more of " + join(known);
  field.from_text_ = [=](const auto& texts) { *target = values::choices(texts[0], known); };
  field.from_json_ = [=](const Json& value) {
    *target =
        values::choices(value.is_array() ? join(values::texts(value), ",") : values::text(value), known);
  };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::text(std::string name, std::string* target, std::string help) {
  return text(
      std::move(name), target, [](const std::string&) {}, "", std::move(help));
}

Field& Fields::text(std::string name, std::string* target, std::function<void(const std::string&)> check,
                    std::string allowed, std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = std::move(allowed);
  field.from_text_ = [=](const auto& texts) {
    check(texts[0]);
    *target = texts[0];
  };
  field.from_json_ = [=](const Json& value) {
    check(values::text(value));
    *target = value.get<std::string>();
  };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::flag(std::string name, bool* target, std::string help) {
  Field& field = on_off(std::move(name), target, std::move(help));
  field.kind_ = Field::Kind::flag;
  field.allowed_.clear();
  return field;
}

Field& Fields::on_off(std::string name, bool* target, std::string help) {
  Field& field = add(std::move(name), std::move(help));
  field.allowed_ = "on, off";
  field.from_text_ = [=](const auto& texts) { *target = values::on_off(texts[0]); };
  field.from_json_ = [=](const Json& value) { *target = values::on_off(value); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

Field& Fields::text_list(std::string name, std::vector<std::string>* target, std::string help,
                         std::function<void(const std::string&)> check, std::string allowed) {
  Field& field = add(std::move(name), std::move(help));
  field.kind_ = Field::Kind::list;
  field.allowed_ = std::move(allowed);
  field.from_text_ = [=](const std::vector<std::string>& texts) {
    if (check)
      for (const std::string& text : texts) check(text);
    *target = texts;
  };
  field.from_json_ = [set = field.from_text_](const Json& value) { set(values::texts(value)); };
  field.value_ = [=] { return Json(*target); };
  return finish(field);
}

}  // namespace dpx
