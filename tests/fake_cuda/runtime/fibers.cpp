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

void Block::enter() {
  Block& self = block();
  (*self.body_)();
  self.wait(Fiber::State::done);
  std::abort();
}

void Block::wait(Fiber::State state) {
  current_->state = state;
  fake_switch(&current_->stack_pointer, scheduler_stack_);
}

void Block::prepare(const FakeThread& shape) {
  if (!stacks_) stacks_ = make_stacks();
  const dim3 extent = shape.block_size;
  size_ = std::size_t(extent.x) * extent.y * extent.z;
  fibers_.assign(size_, Fiber{});
  for (std::size_t i = 0; i < size_; ++i) {
    const auto index = static_cast<unsigned>(i);
    Fiber& fiber = fibers_[i];
    fiber.index = static_cast<int>(i);
    fiber.thread = shape;
    fiber.thread.thread = {index % extent.x, index / extent.x % extent.y, index / (extent.x * extent.y)};
    void** top = reinterpret_cast<void**>(stacks_ + (i + 1) * kStackBytes);
    *--top = nullptr;  // where enter() would return to: never
    *--top = reinterpret_cast<void*>(&Block::enter);
    for (int r = 0; r < kSavedRegisters; ++r) *--top = nullptr;
    fiber.stack_pointer = top;
  }
}

void Block::run(const FakeThread& shape, const std::vector<int>& order, const std::function<void()>& body,
                const std::string& kernel) {
  prepare(shape);
  body_ = &body;
  barriers_ = 0;
  for (;;) {
    bool moved = false;
    for (const int index : order) {
      Fiber& fiber = at(index);
      if (fiber.state != Fiber::State::runs) continue;
      current_ = &fiber;
      fake_switch(&scheduler_stack_, fiber.stack_pointer);
      moved = true;
    }
    current_ = nullptr;
    if (std::all_of(fibers_.begin(), fibers_.end(),
                    [](const Fiber& f) { return f.state == Fiber::State::done; }))
      return;
    if (!release_barrier() && !release_exchanges() && !moved)
      stop(kernel +
           ": a block stands still: not all threads reach its barrier, or a mask names threads that never "
           "come");
  }
}

bool Block::release_barrier() {
  for (const Fiber& fiber : fibers_)
    if (fiber.state == Fiber::State::runs || fiber.state == Fiber::State::at_exchange) return false;
  for (Fiber& fiber : fibers_)
    if (fiber.state == Fiber::State::at_barrier) fiber.state = Fiber::State::runs;
  ++barriers_;
  return true;
}

bool Block::release_exchanges() {
  bool released = false;
  for (std::size_t warp = 0; warp < size_; warp += 32) {
    const std::size_t lanes = std::min<std::size_t>(32, size_ - warp);
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

Block& block() {
  static Block instance;
  return instance;
}

}  // namespace fake
