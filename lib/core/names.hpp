#pragma once
// Lists of names in messages, and the known name nearest to a wrong one.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpx {

/// "a, b, c"
std::string join(std::span<const std::string> names, std::string_view separator = ", ");

/// "a,b,c" at the commas; an empty text is one empty name.
std::vector<std::string> split(std::string_view text, char separator);

/// The name with the fewest edits to `wrong` (case ignored); empty when nothing is close.
std::string nearest(std::string_view wrong, std::span<const std::string> known);

/// `did you mean "batch"? Known: batch, epochs`, without the question where nothing is close.
std::string suggestion(std::string_view wrong, std::span<const std::string> known);

/// `unknown option "--bach"; did you mean "--batch"? Known: --batch, --epochs`.
std::string unknown_name(std::string_view kind, std::string_view wrong, std::span<const std::string> known);

}  // namespace dpx
