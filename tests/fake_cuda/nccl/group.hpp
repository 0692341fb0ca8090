#pragma once
// What is called between ncclGroupStart and ncclGroupEnd, started when all of it is known.
#include <vector>

#include "tests/fake_cuda/nccl/communicator.hpp"

namespace fake {

/// Of the one thread that calls. A call outside a group is a group of its own.
class Group {
 public:
  void open() { ++depth_; }
  /// False where none is open.
  bool close();
  void add(const Contribution& contribution);
  void add(const Message& message);

 private:
  void flush_if_closed();
  void start_collectives();
  void start_messages();
  int depth_ = 0;
  std::vector<Contribution> contributions_;
  std::vector<Message> messages_;
};

Group& group();

/// Whether DPX_FAKE_NCCL_STUCK, "PLACE:NAME=VALUE", wants work at `place` (init, collective) not to end: only
/// where the variable NAME has that value.
bool stuck(const char* place);

}  // namespace fake
