#include "apps/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpx {

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {
  for (std::string& header : headers_) {
    left_.push_back(header.starts_with("<"));
    if (left_.back()) header.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(headers_.size());
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const std::string& header : headers_) widths.push_back(header.size());
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += fmt::format(
          "{}{}", i == 0 ? "" : "  ",
          left_[i] ? fmt::format("{:<{}}", cells[i], widths[i]) : fmt::format("{:>{}}", cells[i], widths[i]));
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line(headers_);
  for (const auto& cells : rows_) line(cells);
}

}  // namespace dpx
