#pragma once
// Aligned tables for people.
#include <ostream>
#include <string>
#include <vector>

namespace dpx {

/// Columns are right-aligned, those whose header starts with '<' left-aligned (the '<' is not printed).
class Table {
 public:
  explicit Table(std::vector<std::string> headers);
  /// One cell per header.
  void row(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<std::string> headers_;
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dpx
