// dpx allreduce-bench: algorithms x sizes x devices on the same buffers, checked, with the bounds of the
// machine.
#include <fmt/ostream.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "apps/commands.hpp"                  // declares: make_allreduce_bench
#include "apps/commands/bench_options.hpp"    // defines: BenchOptions
#include "apps/commands/bench_rows.hpp"       // defines: BenchVariant, BenchRow, print_*, row_case
#include "apps/commands/emulated_links.hpp"   // defines: link_model, record_link
#include "apps/commands/nccl_settings.hpp"    // defines: run_nccl_settings
#include "apps/experiment.hpp"                // defines: Experiment, Run
#include "kernels/backends.hpp"               // defines: make_backend
#include "lib/comm/cost_model/traffic.hpp"    // defines: allreduce_traffic
#include "lib/comm/exact_check.hpp"           // defines: check_sum
#include "lib/core/interrupt.hpp"             // defines: interrupt_signal
#include "lib/measure/collective_timing.hpp"  // defines: CollectiveTimer

namespace dpx {
namespace {

class AllreduceBench final : public Experiment {
 public:
  void declare(Fields& fields) override { options_.declare(fields); }
  void check() override { options_.check(); }
  void run(Run& run) override;

 private:
  void bench_group(Run& run, Backend& backend, int gpus);
  void bench_size(Run& run, Backend& backend, Group& group, std::int64_t bytes);
  void time_all(CollectiveTimer& timer, std::vector<BenchVariant>& variants) const;
  void check_sums(Group& group, const std::vector<Slice>& slices, std::vector<BenchVariant>& variants) const;
  void report(Run& run, const Backend& backend, const std::vector<BenchVariant>& variants, int gpus,
              std::int64_t bytes);

  BenchOptions options_;
};

void AllreduceBench::run(Run& run) {
  const auto backend = make_backend(options_.backend);
  if (backend->name() == "cpu") options_.require_memory();  // a GPU's own is asked for when it is opened
  if (!options_.nccl_env.empty() && backend->name() != "cuda")
    throw Error(Exit::unavailable, "--nccl-env: needs --backend cuda in a dpx that was built with NCCL");
  print_bench_head(run.out);
  for (const std::int64_t gpus : options_.gpus) {
    bench_group(run, *backend, int(gpus));
    if (interrupt_signal() != 0) return;
  }
  if (!options_.nccl_env.empty()) run_nccl_settings(run, *backend, options_);
}

void AllreduceBench::bench_group(Run& run, Backend& backend, int gpus) {
  Group group(backend.open(options_.gpu.request(gpus, options_.threads_per_device)));
  record_devices(run.record, group, backend);
  if (const auto link = link_model(options_.link)) record_link(run.record, *link);
  print_group_line(run.out, gpus, run.record.environment(), options_);
  run.progress.start(fmt::format("{} device(s)", gpus), std::int64_t(options_.sizes().size()));
  std::int64_t done = 0;
  for (const std::int64_t bytes : options_.sizes()) {
    bench_size(run, backend, group, bytes);
    run.progress.tick(++done);
    if (interrupt_signal() != 0) break;
  }
  run.progress.finish();
}

void AllreduceBench::bench_size(Run& run, Backend& backend, Group& group, std::int64_t bytes) {
  std::vector<Buffer> buffers;
  std::vector<Slice> slices;
  for (int rank = 0; rank < group.size(); ++rank) {
    buffers.push_back(group.device(rank).allocate(std::size_t(bytes)));
    slices.push_back(buffers.back().slice(options_.buffer_dtype()));
  }
  std::vector<BenchVariant> variants = options_.variants(backend, group, slices);
  CollectiveTimer timer(group, slices);
  time_all(timer, variants);
  if (options_.check_sums) check_sums(group, slices, variants);
  group.synchronize();
  run.progress.finish();
  report(run, backend, variants, group.size(), bytes);
}

void AllreduceBench::time_all(CollectiveTimer& timer, std::vector<BenchVariant>& variants) const {
  for (BenchVariant& v : variants) {
    v.warmup_s = timer.fresh_s(v.operation, std::max(1, options_.warmup));
    const double once = *std::min_element(v.warmup_s.begin(), v.warmup_s.end());
    v.samples = options_.samples_for(once);
    v.chain = options_.chain_for(once);
  }
  // Interleaved: a slow phase of the machine hits all variants alike.
  for (int round = 0; round < BenchOptions::kRounds; ++round) {
    for (BenchVariant& v : variants) {
      const int share = (v.samples + BenchOptions::kRounds - 1) / BenchOptions::kRounds;
      const std::vector<double> times = timer.fresh_s(v.operation, share);
      v.fresh_s.insert(v.fresh_s.end(), times.begin(), times.end());
      if (v.reducer == nullptr) continue;
      v.back_to_back_s.push_back(timer.back_to_back_s(v.operation, v.chain));
      v.one_shot_s.push_back(timer.one_shot_s(v.operation));
      if (interrupt_signal() != 0) return;
    }
  }
}

void AllreduceBench::check_sums(Group& group, const std::vector<Slice>& slices,
                                std::vector<BenchVariant>& variants) const {
  for (BenchVariant& v : variants) {
    if (v.reducer == nullptr) continue;
    const LinkElements before = v.reducer->elements_carried();
    const SumCheck sum = check_sum(*v.reducer, group, slices);
    v.checked = true;
    v.wrong = sum.wrong;
    v.first_wrong = sum.first_wrong;
    v.identical = sum.identical();
    v.counted = v.reducer->name() != kNccl;  // a library does not say what it sends
    if (!v.counted) continue;
    std::int64_t carried = 0;
    for (const auto& [link, elements] : v.reducer->elements_carried()) {
      const auto found = before.find(link);
      carried += elements - (found == before.end() ? 0 : found->second);
    }
    const std::size_t wire = options_.wire_bytes();
    v.carried_bytes = carried * std::int64_t(wire);
    v.expected_bytes = std::int64_t(
        allreduce_traffic(v.reducer->name(), group.size(), double(slices[0].count * wire)).total_bytes);
  }
}

void AllreduceBench::report(Run& run, const Backend& backend, const std::vector<BenchVariant>& variants,
                            int gpus, std::int64_t bytes) {
  print_bounds(run.out, variants, gpus, bytes);
  for (const BenchVariant& v : variants) {
    const BenchRow row = make_row(v, variants, gpus, bytes, options_);
    Case entry = row_case(row);
    if (!options_.nccl_env.empty()) entry.key["nccl_env"] = nullptr;
    if (v.reducer != nullptr) fmt::print(run.out, "{}\n", row_text(entry));
    note_gpu_states(entry, backend);
    run.record.add_case(entry);
    const std::string what = fmt::format("{} of {} B on {}", v.name, bytes, gpus);
    if (row.link_time_s && v.reducer != nullptr)
      run.record.add_check("not faster than the link: " + what, row.time.min, *row.link_time_s,
                           row.time.min >= *row.link_time_s);
    if (!v.checked) continue;
    run.record.add_check("#wrong: " + what, v.wrong, 0, v.wrong == 0);
    run.record.add_check("ranks identical: " + what, v.identical, true, v.identical);
    if (v.wrong > 0) spdlog::error("{}: {}", what, v.first_wrong);
    if (!v.counted) continue;
    run.record.add_check("bytes carried: " + what, v.carried_bytes, v.expected_bytes,
                         v.carried_bytes == v.expected_bytes);
  }
  run.out.flush();
}

}  // namespace

std::unique_ptr<Experiment> make_allreduce_bench() {
  return std::make_unique<AllreduceBench>();
}

}  // namespace dpx
