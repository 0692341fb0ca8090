// Page faults: closed memory that an operation may use is opened; anything else is reported with names.
#include "tests/fake_cuda/runtime/faults.hpp"

#include <csignal>
#include <cstdint>

#include "tests/fake_cuda/runtime/history.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/scheduler.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

#include <ucontext.h>

namespace fake {
namespace {

void fault_in_operation(const Running& now, void* address, int arena) {
  const std::string who = now.operation->name + " on GPU " + std::to_string(now.operation->device);
  const auto block = memory().block_of(address);
  if (!block) stop(who + " accesses " + memory().describe(address));
  if (arena == memory().pinned_arena()) {
    memory().open_for_kernel(*block);
  } else if (now.arenas >> arena & 1) {
    memory().open(arena);
  } else if (now.operation->kind == Operation::Kind::host) {
    stop(who + " is host code and accesses " + memory().describe(address));
  } else {
    stop(who + " accesses " + memory().describe(address) + ", but peer access is not enabled");
  }
}

void fault_in_host(void* address, int arena, bool write) {
  const auto block = memory().block_of(address);
  if (arena != memory().pinned_arena() || !block)
    stop(std::string("host code ") + (write ? "writes " : "reads ") + memory().describe(address));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t(4095);
  history().host_access(page, 4096, write, scheduler().host);
  scheduler().check_host_against_queues(page, 4096, write);
  memory().open_page_for_host(*block, page, write);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const std::lock_guard<std::recursive_mutex> lock(scheduler().mutex);
  const int arena = memory().arena_of(info->si_addr);
  if (arena < 0) {  // the program's own fault: let it die of it
    std::signal(signal, SIG_DFL);
    return;
  }
  const Running& now = running();
  constexpr int kWriteBit = 2;  // of x86's page-fault error code
  const bool write = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
  if (now.operation)
    fault_in_operation(now, info->si_addr, arena);
  else
    fault_in_host(info->si_addr, arena, write);
}

}  // namespace

void catch_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace fake
