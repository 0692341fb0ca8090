// dpx scaling-sweep: fits this machine's constants, predicts the step on k devices and measures it beside.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "apps/commands.hpp"                      // declares: make_scaling_sweep
#include "apps/commands/emulated_links.hpp"       // defines: record_link
#include "apps/commands/sweep/measurement.hpp"    // defines: SweepMeasurement
#include "apps/commands/sweep/report.hpp"         // defines: report_*
#include "apps/commands/sweep/weak_training.hpp"  // defines: train_weak
#include "apps/experiment.hpp"                    // defines: Experiment, Run
#include "kernels/backends.hpp"                   // defines: make_backend

namespace dpx {
namespace {

class ScalingSweep final : public Experiment {
 public:
  void declare(Fields& fields) override { options_.declare(fields); }
  void check() override { options_.check(); }
  std::string examples() const override {
    return "  dpx scaling-sweep --gpus 1,2,4 --mode both --batch 256 --shards 32:512:x2\n"
           "  dpx scaling-sweep --gpus 1,2 --link alpha=100us,beta=1GB/s --bucket flat\n"
           "  dpx scaling-sweep --gpus 1,2 --mode weak --epochs 2 --seeds 5 --lr 0.2\n";
  }
  void run(Run& run) override;

 private:
  void describe_run(Run& run, Backend& backend, SweepMeasurement& measured) const;
  SweepOptions options_;
};

void ScalingSweep::describe_run(Run& run, Backend& backend, SweepMeasurement& measured) const {
  record_devices(run.record, measured.largest_group(), backend);
  if (const auto link = link_model(options_.link)) record_link(run.record, *link);
  const StepPoint& any = measured.steps().back();
  Json& verdict = run.record.verdict();
  verdict["engine"] = any.engine;
  verdict["algorithm"] = any.algorithm;
  verdict["transport"] = any.transport;
  const int threads = measured.largest_group().size() * options_.threads_per_device;
  const int cores = run.record.environment().value("cores", 1);
  if (backend.name() == "cpu" && threads > cores)
    spdlog::warn("{} threads on {} available core(s): devices take turns, and more of them cannot be faster",
                 threads, cores);
}

void ScalingSweep::run(Run& run) {
  Dataset data;  // missing files are found before the work
  if (options_.epochs > 0) data = load_dataset(options_.data, run.seed, std::size_t(options_.limit));
  const auto backend = make_backend(options_.backend);
  std::vector<StepRow> rows = options_.rows();
  {
    SweepMeasurement measured(options_, *backend, rows);
    describe_run(run, *backend, measured);
    print_sweep_head(run, options_, measured);
    run.out.flush();
    if (!measured.measure(run.progress)) return report_interrupted(run, measured, rows);
    const SweepFit fit = fit_sweep(measured, options_.wiring());
    report_compute_fit(run, measured, fit);
    report_reduce_fit(run, measured, fit);
    report_steps(run, options_, measured, fit, rows);
  }  // its devices are closed before others train
  if (options_.epochs > 0) train_weak(run, options_, *backend, data, rows);
}

}  // namespace

std::unique_ptr<Experiment> make_scaling_sweep() {
  return std::make_unique<ScalingSweep>();
}

}  // namespace dpx
