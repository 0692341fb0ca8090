#include "lib/comm/schedules/pipelined.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpx {
namespace {

// Contributions held at k = 4 by a star in 3 pieces, one row of chunks per rank:
//          rank 0  rank 1  rank 2  rank 3
//   start  1 1 1   1 1 1   1 1 1   1 1 1
//   step 1 4 1 1   1 1 1   1 1 1   1 1 1   piece 0 comes in
//   step 2 4 4 1   4 1 1   4 1 1   4 1 1   piece 1 comes in, piece 0 goes out
//   step 3 4 4 4   4 4 1   4 4 1   4 4 1
//   step 4 4 4 4   4 4 4   4 4 4   4 4 4
class Pipelined final : public Schedule {
 public:
  Pipelined(std::unique_ptr<Schedule> inner, int pieces) : inner_(std::move(inner)), pieces_(pieces) {}
  std::string name() const override { return fmt::format("{}:{}", inner_->name(), pieces_); }
  int world_size() const override { return inner_->world_size(); }
  int num_chunks() const override { return inner_->num_chunks() * pieces_; }
  int num_steps() const override { return inner_->num_steps() == 0 ? 0 : inner_->num_steps() + pieces_ - 1; }

  std::vector<Transfer> step(int s) const override {
    std::vector<Transfer> transfers;
    for (int piece = std::max(0, s - inner_->num_steps() + 1); piece <= std::min(s, pieces_ - 1); ++piece)
      for (Transfer t : inner_->step(s - piece)) {
        t.first_chunk += piece * inner_->num_chunks();
        transfers.push_back(t);
      }
    return transfers;
  }

 private:
  std::unique_ptr<Schedule> inner_;
  int pieces_;
};

}  // namespace

std::unique_ptr<Schedule> make_pipelined(std::unique_ptr<Schedule> inner, int pieces) {
  if (pieces == 1) return inner;
  return std::make_unique<Pipelined>(std::move(inner), pieces);
}

}  // namespace dpx
