#include "lib/core/names.hpp"

#include <algorithm>
#include <numeric>

namespace dpx {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

// Levenshtein distance, case ignored: one row of the table at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && edits(text.substr(0, start.size()), start) == 0;
}

}  // namespace

std::string join(std::span<const std::string> names, std::string_view separator) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += separator;
    out += name;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string nearest(std::string_view wrong, std::span<const std::string> known) {
  // A user's input may be long; the table of edits must not be.
  if (wrong.size() < 3 || wrong.size() > 64) return {};
  std::string best;
  std::size_t fewest = (wrong.size() == 3 ? 1 : std::max<std::size_t>(2, wrong.size() / 3)) + 1;
  for (const std::string& name : known) {
    const bool longer =
        name.size() >= 3 && starts_with_ignoring_case(wrong, name);  // "batchsize" means "batch"
    const bool shorter = wrong.size() >= 3 && starts_with_ignoring_case(name, wrong);
    const std::size_t distance =
        longer || shorter ? std::min<std::size_t>(1, edits(wrong, name)) : edits(wrong, name);
    if (distance < fewest) {
      fewest = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view wrong, std::span<const std::string> known) {
  const std::string close = nearest(wrong, known);
  return (close.empty() ? "known: " : "did you mean \"" + close + "\"? Known: ") + join(known);
}

std::string unknown_name(std::string_view kind, std::string_view wrong, std::span<const std::string> known) {
  return "unknown " + std::string(kind) + " \"" + std::string(wrong.substr(0, 80)) + "\"; " +
         suggestion(wrong, known);
}

}  // namespace dpx
