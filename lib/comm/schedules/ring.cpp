#include "lib/comm/schedules/ring.hpp"

namespace dpx {
namespace {

// Contributions held at k = 4, one row of chunks a b c d per rank; rank i ends the reduce-scatter owning
// chunk i:
//          rank 0   rank 1   rank 2   rank 3
//   start  1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1
//   RS1    1 1 2 1  1 1 1 2  2 1 1 1  1 2 1 1
//   RS2    1 3 2 1  1 1 3 2  2 1 1 3  3 2 1 1
//   RS3    4 3 2 1  1 4 3 2  2 1 4 3  3 2 1 4
//   AG1    4 3 2 4  4 4 3 2  2 4 4 3  3 2 4 4
//   AG2    4 3 4 4  4 4 4 3  3 4 4 4  4 3 4 4
//   AG3    4 4 4 4  4 4 4 4  4 4 4 4  4 4 4 4
class Ring final : public Schedule {
 public:
  explicit Ring(int world_size) : k_(world_size) {}
  std::string name() const override { return "ring"; }
  int world_size() const override { return k_; }
  int num_chunks() const override { return k_; }
  int num_steps() const override { return 2 * (k_ - 1); }

  std::vector<Transfer> step(int s) const override {
    const bool scatter = s < k_ - 1;
    const int behind =
        scatter ? s + 2 : s - (k_ - 1) + 1;  // the received chunk lies this far behind the receiver
    std::vector<Transfer> transfers;
    for (int rank = 0; rank < k_; ++rank)
      transfers.push_back(
          {wrap(rank - 1), rank, wrap(rank - behind), 1, scatter ? Op::accumulate : Op::copy});
    return transfers;
  }

 private:
  int wrap(int i) const { return ((i % k_) + k_) % k_; }
  int k_;
};

}  // namespace

std::unique_ptr<Schedule> make_ring(int world_size) {
  return std::make_unique<Ring>(world_size);
}

}  // namespace dpx
