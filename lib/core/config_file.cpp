#include "lib/core/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxBytes = 16 << 20;  // a device file would never end

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(Exit::usage, where + ": " + why);
}

// Line and column, from 1, of the byte at `at`.
std::pair<int, int> position(const std::string& text, std::size_t at) {
  at = std::min(at, text.size());
  const auto begin = text.begin(), end = begin + std::ptrdiff_t(at);
  const auto last_line = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
  return {int(std::count(begin, end, '\n')) + 1, int(end - last_line) + 1};
}

std::string place(const std::string& path, const std::string& text, std::size_t at) {
  const auto [line, column] = position(text, at);
  return fmt::format("{}:{}:{}", path, line, column);
}

std::string read_text(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) refuse("--config " + path, std::strerror(errno));
  std::string text;
  char block[65536];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file.get())) > 0;) {
    text.append(block, n);
    if (text.size() > kMaxBytes)
      refuse("--config " + path, fmt::format("is larger than {} bytes", kMaxBytes));
  }
  if (std::ferror(file.get())) refuse("--config " + path, std::strerror(errno));
  return text;
}

void refuse_encoding(const std::string& path, const std::string& text) {
  if (text.empty()) refuse(path, "is empty; at least {} is needed");
  if (text.starts_with("\xEF\xBB\xBF"))
    refuse(path + ":1:1", "starts with a byte order mark (EF BB BF); save the file as UTF-8 without BOM");
  const bool utf16_mark = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (utf16_mark || text.find('\0') < 4)
    refuse(path + ":1:1", "is UTF-16 or UTF-32 text; save the file as UTF-8");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(path, "holds blanks only; at least {} is needed");
}

// The cause of a syntax error in plain words, judged by what stands around the byte where the parser stopped.
std::string cause(const std::string& text, std::size_t at, const std::string& parser_text) {
  const std::size_t from = at > 0 ? at - 1 : 0;
  const std::string_view near = std::string_view(text).substr(std::min(from, text.size()));
  const std::string_view before = std::string_view(text).substr(0, std::min(from, text.size()));
  if (parser_text.find("unexpected end of input") != std::string::npos || at > text.size())
    return "ends too early: a bracket, a quote or a value is missing";
  const std::string_view around = std::string_view(text).substr(from > 0 ? from - 1 : 0, 3);
  for (const char* mark : {"//", "/*", "#"})
    if (around.find(mark) != std::string_view::npos) return "comments are not allowed in JSON";
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  if ((near.starts_with("]") || near.starts_with("}")) && last != std::string_view::npos &&
      before[last] == ',')
    return fmt::format("comma before the closing {}; JSON allows none after the last item",
                       near.substr(0, 1));
  const std::size_t word = before.find_last_of(" \t\r\n:,[{") + 1;
  const std::string_view token = std::string_view(text).substr(word, 9);
  for (const char* name : {"NaN", "nan", "Inf", "inf", "-Inf", "-inf", "+Inf", "-NaN", "-nan"})
    if (token.starts_with(name))
      return fmt::format("{} is not a JSON number; only finite numbers are allowed", name);
  const std::size_t detail = parser_text.find("syntax error");
  return detail == std::string::npos ? parser_text : parser_text.substr(detail);
}

// Input iterator that tells how far the parser has read.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  std::size_t* read;
  const char& operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    ++*read;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

// Sees every event of one parse: refuses repeated keys and deep nesting, notes where top-level keys stand.
struct Watcher {
  const std::string& path;
  const std::string& text;
  const std::size_t& read;
  std::map<std::string, int>& lines;
  std::vector<std::set<std::string>> keys = {};
  std::string last_key = {};

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth)
      refuse(place(path, text, read), fmt::format("is nested deeper than {} levels", kMaxDepth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      last_key = parsed.get<std::string>();
      if (!keys.back().insert(last_key).second)
        refuse(place(path, text, text.rfind('"', read - 2)),
               fmt::format("key \"{}\" appears twice", last_key));
      if (depth == 1) lines[last_key] = position(text, read).first;
    }
    return true;
  }
};

Json parse_strictly(const std::string& path, const std::string& text, std::map<std::string, int>& lines) {
  std::size_t read = 0;
  Watcher watcher{path, text, read, lines};
  const CountingIterator begin{text.data(), &read}, end{text.data() + text.size(), &read};
  try {
    return Json::parse(begin, end, std::ref(watcher), true, false);
  } catch (const Json::parse_error& e) {
    refuse(place(path, text, e.byte > 0 ? e.byte - 1 : 0), cause(text, e.byte, e.what()));
  } catch (
      const Json::out_of_range&) {  // a number that fits no double; a float's range is the only cause here
    const std::string_view digits = "+-.0123456789eE";
    const std::size_t stop = std::min(text.find_first_not_of(digits, read > 0 ? read - 1 : 0), text.size());
    const std::size_t start = text.find_last_not_of(digits, read > 1 ? read - 2 : 0) + 1;
    const std::string number = text.substr(start, std::min<std::size_t>(stop - start, 40));
    refuse(place(path, text, start),
           fmt::format("\"{}\": {} is out of range; numbers up to 1.8e308 are allowed", watcher.last_key,
                       number));
  }
}

}  // namespace

std::string ConfigFile::where(const std::string& key) const {
  const auto line = lines.find(key);
  return line == lines.end() ? fmt::format("{}: \"{}\"", path, key)
                             : fmt::format("{}:{}: \"{}\"", path, line->second, key);
}

void ConfigFile::apply(Fields& fields) const {
  for (const auto& [key, value] : values.items()) fields.set_json(key, value, where(key));
}

ConfigFile read_config(const std::string& path, const std::string& command) {
  ConfigFile out{path, Json::object(), {}};
  const std::string text = read_text(path);
  refuse_encoding(path, text);
  out.values = parse_strictly(path, text, out.lines);
  if (!out.values.is_object()) refuse(path + ":1:1", "top level is not an object; write {\"batch\": 256}");
  if (out.values.contains("command") && out.values["command"] != command)
    refuse(out.where("command"),
           fmt::format("{} is another command; allowed: \"{}\"", out.values["command"].dump(), command));
  if (out.values.contains("schema") && out.values.contains("config")) {
    Json config = out.values["config"];  // a record: its settings, whose lines are not kept
    if (!config.is_object()) refuse(out.where("config"), "is not an object");
    out.values = std::move(config);
    out.lines.clear();
  }
  out.values.erase("command");
  return out;
}

}  // namespace dpx
