#include "lib/core/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

std::atomic<int> g_signal{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "only lock-free atomics may be used in a signal handler");

extern "C" void on_signal(int number) {
  if (g_signal.exchange(number) != 0) _exit(128 + number);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a write in progress must not fail with EINTR
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error like any other
}

int interrupt_signal() {
  return g_signal.load(std::memory_order_relaxed);
}

void throw_if_interrupted() {
  const int number = interrupt_signal();
  if (number == SIGTERM) throw Error(Exit::terminated, "ended by SIGTERM; finished rows are kept");
  if (number != 0) throw Error(Exit::interrupted, "interrupted; finished rows are kept");
}

}  // namespace dpx
