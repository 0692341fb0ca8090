#include "lib/comm/schedules/halving_doubling.hpp"

#include <fmt/format.h>

#include <bit>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

// Contributions held at k = 4, one row of chunks per rank; rank i ends the halving owning chunk i:
//            rank 0   rank 1   rank 2   rank 3
//   start    1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1
//   halve 1  2 2 1 1  2 2 1 1  1 1 2 2  1 1 2 2    partners 0-2, 1-3
//   halve 2  4 2 1 1  2 4 1 1  1 1 4 2  1 1 2 4    partners 0-1, 2-3
//   double 1 4 4 1 1  4 4 1 1  1 1 4 4  1 1 4 4    partners 0-1, 2-3
//   double 2 4 4 4 4  4 4 4 4  4 4 4 4  4 4 4 4    partners 0-2, 1-3
class HalvingDoubling final : public Schedule {
 public:
  explicit HalvingDoubling(int world_size)
      : k_(world_size), levels_(std::countr_zero(unsigned(world_size))) {}
  std::string name() const override { return "halving-doubling"; }
  int world_size() const override { return k_; }
  int num_chunks() const override { return k_; }
  int num_steps() const override { return 2 * levels_; }

  std::vector<Transfer> step(int s) const override {
    const bool halve = s < levels_;
    const int distance = halve ? k_ >> (s + 1) : 1 << (s - levels_);
    std::vector<Transfer> transfers;
    for (int rank = 0; rank < k_; ++rank) {
      const int partner = rank ^ distance;
      const int owner = halve ? rank : partner;  // the chunks in transit are the ones that `owner` is to hold
      transfers.push_back(
          {partner, rank, owner / distance * distance, distance, halve ? Op::accumulate : Op::copy});
    }
    return transfers;
  }

 private:
  int k_, levels_;
};

}  // namespace

std::unique_ptr<Schedule> make_halving_doubling(int world_size) {
  if (!std::has_single_bit(unsigned(world_size)))
    throw Error(
        Exit::usage,
        fmt::format("halving-doubling needs a power of two of devices (2, 4, 8, ...), not {}", world_size));
  return std::make_unique<HalvingDoubling>(world_size);
}

}  // namespace dpx
