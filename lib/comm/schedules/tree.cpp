#include "lib/comm/schedules/tree.hpp"

namespace dpx {
namespace {

// Contributions held per rank at k = 4 (one chunk):
//   start  1 1 1 1
//   up 1   2 1 2 1    1 -> 0, 3 -> 2
//   up 2   4 1 2 1    2 -> 0
//   down 1 4 1 4 1    0 -> 2
//   down 2 4 4 4 4    0 -> 1, 2 -> 3
class Tree final : public Schedule {
 public:
  explicit Tree(int world_size) : k_(world_size) {
    while ((1 << levels_) < k_) ++levels_;
  }
  std::string name() const override { return "tree"; }
  int world_size() const override { return k_; }
  int num_chunks() const override { return 1; }
  int num_steps() const override { return 2 * levels_; }

  std::vector<Transfer> step(int s) const override {
    const bool up = s < levels_;
    const int distance = 1 << (up ? s : 2 * levels_ - 1 - s);
    std::vector<Transfer> transfers;
    for (int parent = 0; parent + distance < k_; parent += 2 * distance)
      transfers.push_back(up ? Transfer{parent + distance, parent, 0, 1, Op::accumulate}
                             : Transfer{parent, parent + distance, 0, 1, Op::copy});
    return transfers;
  }

 private:
  int k_, levels_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> make_tree(int world_size) {
  return std::make_unique<Tree>(world_size);
}

}  // namespace dpx
