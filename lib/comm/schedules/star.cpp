#include "lib/comm/schedules/star.hpp"

namespace dpx {
namespace {

// Contributions held per rank at k = 4 (one chunk):
//   start   1 1 1 1
//   reduce  4 1 1 1    ranks 1, 2, 3 accumulate into rank 0, in this order
//   spread  4 4 4 4    rank 0 copies to 1, 2, 3
class Star final : public Schedule {
 public:
  explicit Star(int world_size) : k_(world_size) {}
  std::string name() const override { return "star"; }
  int world_size() const override { return k_; }
  int num_chunks() const override { return 1; }
  int num_steps() const override { return k_ > 1 ? 2 : 0; }

  std::vector<Transfer> step(int s) const override {
    std::vector<Transfer> transfers;
    for (int rank = 1; rank < k_; ++rank)
      transfers.push_back(s == 0 ? Transfer{rank, 0, 0, 1, Op::accumulate}
                                 : Transfer{0, rank, 0, 1, Op::copy});
    return transfers;
  }

 private:
  int k_;
};

}  // namespace

std::unique_ptr<Schedule> make_star(int world_size) {
  return std::make_unique<Star>(world_size);
}

}  // namespace dpx
