#pragma once
// TraceLink: carries out a schedule on symbols, counts what crosses each directed link, and proves
// schedule.hpp's rules.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/comm/link.hpp"

namespace dpx {

class TraceLink final : public Link {
 public:
  TraceLink(int world_size, int num_chunks);
  void transfer(const Transfer& transfer, Range elements) override;
  void end_step() override;

  /// How often rank `rank`'s chunk `chunk` holds the contribution of rank `source`.
  int held(int rank, int chunk, int source) const { return cell(rank, chunk)[std::size_t(source)]; }
  /// Contributions in the cell, all sources together: the digits of the chapter's ring figure.
  int contributions(int rank, int chunk) const;
  /// True when every cell of `chunk` holds every contribution exactly once.
  bool complete(int chunk) const;
  /// Rules broken so far, one sentence each.
  const std::vector<std::string>& violations() const { return violations_; }

  struct Traffic {
    std::int64_t messages = 0, elements = 0;
  };
  /// Per directed link (src, dst).
  const std::map<std::pair<int, int>, Traffic>& traffic() const { return traffic_; }
  Traffic sent_by(int rank) const;
  Traffic received_by(int rank) const;

 private:
  using Cell = std::vector<int>;
  const Cell& cell(int rank, int chunk) const { return cells_[std::size_t(rank * num_chunks_ + chunk)]; }
  Cell& cell(int rank, int chunk) { return cells_[std::size_t(rank * num_chunks_ + chunk)]; }

  int world_size_, num_chunks_, step_ = 0;
  std::vector<Cell> cells_, at_step_begin_;
  std::set<std::pair<int, int>> read_, written_;  ///< (rank, chunk) in this step
  std::map<std::pair<int, int>, Traffic> traffic_;
  std::vector<std::string> violations_;
};

}  // namespace dpx
