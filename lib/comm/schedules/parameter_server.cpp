#include "lib/comm/schedules/parameter_server.hpp"

#include <fmt/format.h>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

// Contributions held at k = 4 with 4 servers (direct), one row of chunks per rank:
//          rank 0   rank 1   rank 2   rank 3
//   start  1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1
//   push   4 1 1 1  1 4 1 1  1 1 4 1  1 1 1 4
//   pull   4 4 4 4  4 4 4 4  4 4 4 4  4 4 4 4
class ParameterServer final : public Schedule {
 public:
  ParameterServer(std::string name, int world_size, int servers)
      : name_(std::move(name)), k_(world_size), servers_(servers) {}
  std::string name() const override { return name_; }
  int world_size() const override { return k_; }
  int num_chunks() const override { return servers_; }
  int num_steps() const override { return k_ > 1 ? 2 : 0; }

  std::vector<Transfer> step(int s) const override {
    std::vector<Transfer> transfers;
    // Every server turns to another worker at a time, so that none waits for a port that a different one
    // uses.
    for (int distance = 1; distance < k_; ++distance)
      for (int server = 0; server < servers_; ++server) {
        const int rank = (server + distance) % k_;
        transfers.push_back(s == 0 ? Transfer{rank, server, server, 1, Op::accumulate}
                                   : Transfer{server, rank, server, 1, Op::copy});
      }
    return transfers;
  }

 private:
  std::string name_;
  int k_, servers_;
};

}  // namespace

std::unique_ptr<Schedule> make_parameter_server(int world_size, int servers) {
  if (servers < 1 || servers > world_size)
    throw Error(Exit::usage, fmt::format("parameter-server:{}: the servers are devices, so 1 to {} of them",
                                         servers, world_size));
  return std::make_unique<ParameterServer>(fmt::format("parameter-server:{}", servers), world_size, servers);
}

std::unique_ptr<Schedule> make_direct(int world_size) {
  return std::make_unique<ParameterServer>("direct", world_size, world_size);
}

}  // namespace dpx
