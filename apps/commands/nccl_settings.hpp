#pragma once
// dpx allreduce-bench --nccl-env: the same rows under each setting of NCCL's environment. NCCL reads its
// environment once per process, so each setting has a process of its own.
#include "apps/commands/bench_options.hpp"
#include "apps/experiment.hpp"

namespace dpx {

/// Runs `options` once per setting, with --algo nccl only, and adds rows and checks to the record; a setting
/// with a variable that the loaded NCCL does not read is not run: its rows say absent. Prints all of them
/// beside the rows that the record holds already. Leaves early once interrupted.
void run_nccl_settings(Run& run, const Backend& backend, const BenchOptions& options);

}  // namespace dpx
