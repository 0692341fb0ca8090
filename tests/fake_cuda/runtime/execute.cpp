// Carrying out one operation: which memory is open to it, what it touched, when it ends in virtual time.
#include <algorithm>

#include "tests/fake_cuda/runtime/history.hpp"
#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/recorder.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/scheduler.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {
namespace {

/// The GPUs whose memory the operation may use. Copies may use any (the driver stages them where peers have
/// no access).
std::uint64_t allowed_arenas(const Operation& operation, const std::vector<Gpu>& gpus) {
  if (operation.kind == Operation::Kind::host) return 0;
  if (operation.kind != Operation::Kind::kernel || operation.any_gpu) return ~std::uint64_t(0);
  std::uint64_t arenas = std::uint64_t(1) << operation.device;
  for (const int peer : gpus[static_cast<std::size_t>(operation.device)].peers)
    arenas |= std::uint64_t(1) << peer;
  return arenas;
}

void open_touched(const Operation& operation, std::uint64_t allowed) {
  for (const Touched& touched : operation.touched) {
    const int arena = memory().arena_of(touched.begin);
    if (arena < 0 || !touched.bytes) continue;
    const auto block = memory().block_of(touched.begin);
    const char* end = static_cast<const char*>(touched.begin) + touched.bytes;
    if (!block || end > block->begin + block->bytes)
      stop(operation.name + " on GPU " + std::to_string(operation.device) +
           (touched.write ? " writes " : " reads ") + std::to_string(touched.bytes) +
           " bytes beyond an allocation: " + memory().describe(touched.begin));
    if (operation.kind != Operation::Kind::kernel) continue;  // copies take the address that is always open
    if (arena == memory().pinned_arena()) {
      memory().open_for_kernel(*block);
    } else if (allowed >> arena & 1) {
      memory().open(arena);
    } else {
      stop(operation.name + " on GPU " + std::to_string(operation.device) + " uses " +
           memory().describe(touched.begin) + ", but peer access is not enabled");
    }
  }
}

/// Kernels whose twin touched something outside every allocation; the others' accesses go into the history.
void note_accesses(const Operation& operation, const std::vector<Touched>& touched) {
  for (const Touched& access : touched) {
    if (memory().arena_of(access.begin) < 0) continue;  // pageable host memory
    const auto block = memory().block_of(access.begin);
    const char* end = static_cast<const char*>(access.begin) + access.bytes;
    if (!block || end > block->begin + block->bytes)
      stop(operation.name + " on GPU " + std::to_string(operation.device) +
           (access.write ? " writes" : " reads") +
           " out of bounds: " + memory().describe(block ? block->begin + block->bytes : access.begin));
    history().access(access, operation.issued);
  }
}

}  // namespace

double Scheduler::run_body(Operation& operation, double start_s) {
  if (const int code = operation.kind == Operation::Kind::kernel ? injected_failure("kernel") : 0)
    sticky = code;
  if (sticky) return start_s;
  const std::uint64_t allowed = allowed_arenas(operation, gpus);
  memory().close_except(allowed);
  open_touched(operation, allowed);
  running() = {&operation, allowed};
  recorder().start();
  operation.body();
  std::vector<Touched> touched = recorder().finish();
  running() = {};
  if (settings().races) {
    note_accesses(operation, operation.touched);
    note_accesses(operation, touched);
    for (const Touched& access : touched)
      if (memory().is_pinned(access.begin)) memory().guard(*memory().block_of(access.begin));
  }
  double& free_s =
      gpus[static_cast<std::size_t>(operation.device)].engine_free_s[static_cast<int>(operation.engine)];
  const double end_s = std::max(start_s, operation.engine == Engine::none ? 0.0 : free_s) + operation.cost_s;
  free_s = end_s;
  return end_s;
}

double Scheduler::run(Operation& operation, double start_s) {
  double end_s = start_s;
  if (operation.launch) {
    end_s = run_graph(operation, start_s);
  } else if (operation.body) {
    end_s = run_body(operation, start_s);
  }
  if (operation.records) {
    operation.records->reached = true;
    operation.records->time_s = end_s;
  }
  return end_s;
}

}  // namespace fake
