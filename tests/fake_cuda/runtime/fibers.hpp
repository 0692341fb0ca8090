#pragma once
// Threads of a block as fibers of one host thread: a switch costs tens of nanoseconds, and where they can be
// interrupted is exactly where CUDA's barriers are.
#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake {

/// What the threads of a block have in common.
struct LaunchPlace {
  uint3 block;
  dim3 block_size, grid_size;
};

struct Fiber {
  enum class State { fresh, runs, at_barrier, at_exchange, done };
  void* stack_pointer = nullptr;
  State state = State::fresh;
  uint3 thread = {};
  int index = 0;                ///< in the block
  unsigned mask = 0;            ///< lanes it exchanges with
  std::uint64_t slots[2] = {};  ///< values it brought to the last two exchanges
  unsigned exchanges = 0;
};

class ThreadBlock {
 public:
  /// Runs `body` as every thread of the block, in `order`. Errors: a block that stands still ends the
  /// process.
  void run(const LaunchPlace& place, const std::vector<int>& order, const std::function<void()>& body,
           const std::string& kernel);
  Fiber& current() { return *current_; }
  const LaunchPlace& place() const { return place_; }
  Fiber& at(int index) { return fibers_[static_cast<std::size_t>(index)]; }
  void wait(Fiber::State state);
  /// Barriers the block has passed.
  unsigned barriers() const { return barriers_; }

 private:
  static void enter();
  void start(Fiber& fiber);
  bool start_next();
  bool release_barrier();
  bool release_exchanges();
  std::vector<Fiber> fibers_;
  LaunchPlace place_ = {};
  const std::vector<int>* order_ = nullptr;
  std::size_t next_ = 0;  ///< in `order_`: the first thread that may be fresh
  unsigned barriers_ = 0;
  char* stacks_ = nullptr;
  std::size_t stacks_used_ = 0;
  void* scheduler_stack_ = nullptr;
  Fiber* current_ = nullptr;
  const std::function<void()>* body_ = nullptr;
};

extern ThreadBlock the_block;
inline ThreadBlock& block() {
  return the_block;
}

}  // namespace fake
