#pragma once
// How texts and JSON values become the targets' types. Every function throws Error(Exit::usage) with the
// value found and the cause; Fields adds the place and the values allowed.
#include <string>
#include <vector>

#include "lib/core/fields.hpp"

namespace dpx::values {

/// `4294967552`, `"two"`: the value for a message, cut when it is long.
std::string found(const Json& value);
[[noreturn]] void refuse(const std::string& found, const std::string& why);

std::int64_t integer(const std::string& text, IntBounds bounds);
std::int64_t integer(const Json& value, IntBounds bounds);
double real(const std::string& text, RealBounds bounds);
double real(const Json& value, RealBounds bounds);
std::int64_t bytes(const std::string& text, IntBounds bounds);
std::int64_t bytes(const Json& value, IntBounds bounds);
std::vector<std::int64_t> integers(const std::string& text, IntBounds bounds);
std::vector<std::int64_t> integers(const Json& value, IntBounds bounds);
/// `value` itself when it is one of `known`.
std::string choice(const std::string& value, const std::vector<std::string>& known);
std::vector<std::string> choices(const std::string& text, const std::vector<std::string>& known);
std::string text(const Json& value);
std::vector<std::string> texts(const Json& value);
bool on_off(const std::string& text);
bool on_off(const Json& value);

/// `1..64`
std::string allowed(IntBounds bounds);
/// `above 0`, `0..1`
std::string allowed(RealBounds bounds);

}  // namespace dpx::values
