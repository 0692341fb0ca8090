#include "tests/fake_cuda/runtime/fibers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "tests/fake_cuda/runtime/report.hpp"

#ifndef __x86_64__
#error "the double's fibers are written for x86-64"
#endif

// Saves what a call must preserve on the old stack and goes on where the new one stopped.
extern "C" void fake_switch(void** old_stack, void* new_stack);
asm(R"(
.text
.type fake_switch,@function
fake_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace fake {
namespace {

constexpr std::size_t kMaxThreads = 1024, kStackBytes = 65536;  // the handler of page faults runs on them too
constexpr int kSavedRegisters = 6;

char* make_stacks() {
  void* p = mmap(nullptr, kMaxThreads * kStackBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) stop("cannot reserve the stacks of a block");
  return static_cast<char*>(p);
}

}  // namespace

// A fiber whose thread has ended goes on with the next thread, so that a kernel without barriers needs one
// fiber.
void ThreadBlock::enter() {
  ThreadBlock& self = the_block;
  do {
    (*self.body_)();
    self.current_->state = Fiber::State::done;
  } while (self.start_next());
  self.wait(Fiber::State::done);
  std::abort();
}

void ThreadBlock::wait(Fiber::State state) {
  current_->state = state;
  fake_switch(&current_->stack_pointer, scheduler_stack_);
}

void ThreadBlock::start(Fiber& fiber) {
  const auto index = static_cast<unsigned>(&fiber - fibers_.data());
  const dim3 extent = place_.block_size;
  fiber.index = static_cast<int>(index);
  fiber.thread = {index % extent.x, index / extent.x % extent.y, index / (extent.x * extent.y)};
  fiber.state = Fiber::State::runs;
  current_ = &fiber;
}

bool ThreadBlock::start_next() {
  for (; next_ < order_->size(); ++next_) {
    Fiber& fiber = at((*order_)[next_]);
    if (fiber.state != Fiber::State::fresh) continue;
    start(fiber);
    return true;
  }
  return false;
}

void ThreadBlock::run(const LaunchPlace& place, const std::vector<int>& order,
                      const std::function<void()>& body, const std::string& kernel) {
  if (!stacks_) stacks_ = make_stacks();
  fibers_.assign(order.size(), Fiber{});
  place_ = place;
  order_ = &order;
  body_ = &body;
  next_ = stacks_used_ = barriers_ = 0;
  for (;;) {
    bool moved = false, all_done = true;
    while (start_next()) {
      void** top = reinterpret_cast<void**>(stacks_ + ++stacks_used_ * kStackBytes);
      *--top = nullptr;  // where enter() would return to: never
      *--top = reinterpret_cast<void*>(&ThreadBlock::enter);
      for (int r = 0; r < kSavedRegisters; ++r) *--top = nullptr;
      fake_switch(&scheduler_stack_, top);
      moved = true;
    }
    for (const int index : order) {
      Fiber& fiber = at(index);
      if (fiber.state == Fiber::State::runs) {
        current_ = &fiber;
        fake_switch(&scheduler_stack_, fiber.stack_pointer);
        moved = true;
      }
      all_done &= fiber.state == Fiber::State::done;
    }
    if (all_done) return;
    if (!release_barrier() && !release_exchanges() && !moved)
      stop(kernel +
           ": a block stands still: not all threads reach its barrier, or a mask names threads that never "
           "come");
  }
}

bool ThreadBlock::release_barrier() {
  for (const Fiber& fiber : fibers_)
    if (fiber.state == Fiber::State::runs || fiber.state == Fiber::State::at_exchange) return false;
  for (Fiber& fiber : fibers_)
    if (fiber.state == Fiber::State::at_barrier) fiber.state = Fiber::State::runs;
  ++barriers_;
  return true;
}

bool ThreadBlock::release_exchanges() {
  bool released = false;
  for (std::size_t warp = 0; warp < fibers_.size(); warp += 32) {
    const std::size_t lanes = std::min<std::size_t>(32, fibers_.size() - warp);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (fibers_[warp + lane].state != Fiber::State::at_exchange) continue;
      const unsigned mask = fibers_[warp + lane].mask;
      bool complete = true;
      for (std::size_t other = 0; other < lanes; ++other) {
        const Fiber& fiber = fibers_[warp + other];
        if (mask >> other & 1) complete &= fiber.state == Fiber::State::at_exchange && fiber.mask == mask;
      }
      if (!complete) continue;
      for (std::size_t other = 0; other < lanes; ++other)
        if (mask >> other & 1) fibers_[warp + other].state = Fiber::State::runs;
      released = true;
    }
  }
  return released;
}

ThreadBlock the_block;

}  // namespace fake
