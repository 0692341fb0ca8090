// dpx parity: one step on 1 and on k devices from the same start must be the same step.
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "apps/commands.hpp"                   // defines: make_parity
#include "apps/commands/emulated_links.hpp"    // defines: record_link
#include "apps/commands/training_options.hpp"  // defines: TrainingOptions, open_backend, describe_data
#include "apps/experiment.hpp"                 // defines: Experiment, Run
#include "kernels/backends.hpp"                // defines: make_backend
#include "lib/core/error.hpp"                  // defines: Error, Exit
#include "lib/train/parity.hpp"                // defines: take_step, compare_steps, ParityReport

namespace dpx {
namespace {

class Parity final : public Experiment {
 public:
  Parity() {
    options_.gpus = 2;
    options_.data = "normal";
  }
  void declare(Fields& fields) override {
    options_.declare(fields);
    fields.choice("bug", &bug_, fault_names(), "fault to plant in the step on k devices").group("faults");
    fields.flag("mutations", &mutations_, "plant every fault in turn; each must be caught").group("faults");
  }
  void check() override;
  void run(Run& run) override;

 private:
  struct CpuCheck {
    std::string engine;
    double max_abs_diff = 0, tol = 0;
    bool passed = true;
  };

  /// The step on k devices against the step on one, over `batch` examples.
  ParityReport compare(Run& run, Fault fault, std::size_t batch);
  /// The step on k devices against the CPU engine's on one: precision, where the comparison above is blind to
  /// what all devices do alike.
  void compare_with_cpu(const StepResult& many, const std::vector<float>& start, std::size_t batch,
                        Json& metrics);
  void report_cpu(Run& run, const CpuCheck& check);
  void open_devices(Run& run);
  void run_mutations(Run& run);
  Json case_key(Fault fault, std::size_t batch) const;

  TrainingOptions options_;
  std::string bug_ = "none";
  bool mutations_ = false;

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Group> one_, many_;
  Dataset data_;
  std::vector<std::size_t> shard_sizes_;
  std::string transport_;  ///< of the step on k devices
  double loss_one_ = 0, loss_many_ = 0;

  std::unique_ptr<Backend> cpu_;  ///< null where the devices are CPU devices themselves
  std::unique_ptr<Group> cpu_group_;
  CpuCheck cpu_check_;  ///< of the last compare
};

void Parity::check() {
  options_.check();
  if (mutations_ && options_.gpus < 2)
    throw Error(Exit::usage, "--mutations needs --gpus 2 or more: on one device these faults change nothing");
  if (mutations_ && bug_ != "none")
    throw Error(Exit::usage, "--mutations plants every fault; leave out --bug");
}

Json Parity::case_key(Fault fault, std::size_t batch) const {
  return {{"gpus", options_.gpus}, {"batch", batch}, {"bug", fault_names()[std::size_t(fault)]}};
}

ParityReport Parity::compare(Run& run, Fault fault, std::size_t batch) {
  const LeNet model(options_.width);
  const std::vector<float> start = initial_params(model, run.seed);
  StepOptions reference = options_.step_options();
  reference.normalize = Normalize::global;
  StepOptions planted = options_.step_options();
  planted.fault = fault;
  const StepResult one = take_step(*one_, *backend_, model, reference, start, data_.train, batch);
  const StepResult many = take_step(*many_, *backend_, model, planted, start, data_.train, batch);
  const ParityReport report = compare_steps(model, start, one, many, RoundingLimits::of(options_.math));
  shard_sizes_ = many.shard_sizes;
  transport_ = many.transport;
  loss_one_ = one.loss;
  loss_many_ = many.loss;

  Case row;
  row.key = case_key(fault, batch);
  row.metrics = {{"max_abs_diff", report.max_abs_diff},
                 {"max_abs_update", report.max_abs_update},
                 {"norm_ratio", report.norm_ratio},
                 {"replicas_equal", report.replicas_equal},
                 {"shard_sizes", many.shard_sizes},
                 {"loss_1", one.loss},
                 {"loss_k", many.loss},
                 {"algorithm", many.algorithm},
                 {"transport", many.transport},
                 {"engine", many.engine},
                 {"pass", report.passed}};
  for (const TensorParity& t : report.tensors)
    row.metrics["tensors"].push_back({{"name", t.name},
                                      {"max_abs_update", t.max_abs_update},
                                      {"max_abs_diff", t.max_abs_diff},
                                      {"ulps", t.ulps},
                                      {"tol", t.tol},
                                      {"pass", t.passed}});
  if (cpu_ != nullptr) compare_with_cpu(many, start, batch, row.metrics);
  run.record.add_case(row);
  return report;
}

void Parity::compare_with_cpu(const StepResult& many, const std::vector<float>& start, std::size_t batch,
                              Json& metrics) {
  const LeNet model(options_.width);
  const StepOptions options{.width = options_.width, .lr = options_.lr};
  const StepResult cpu = take_step(*cpu_group_, *cpu_, model, options, start, data_.train, batch);
  const ParityReport report = compare_steps(model, start, cpu, many);
  const double tol = RoundingLimits::of(options_.math).engine_tol(report.max_abs_update);
  cpu_check_ = {cpu.engine, report.max_abs_diff, tol, report.finite && report.max_abs_diff <= tol};
  metrics["cpu_engine"] = {{"name", cpu.engine},
                           {"max_abs_update", report.max_abs_update},
                           {"max_abs_diff", report.max_abs_diff},
                           {"tol", tol},
                           {"pass", cpu_check_.passed}};
  for (std::size_t i = 0; i < report.tensors.size(); ++i)
    metrics["tensors"][i]["cpu_max_abs_diff"] = report.tensors[i].max_abs_diff;
}

void Parity::report_cpu(Run& run, const CpuCheck& check) {
  fmt::print(run.out, "max update difference, k={} vs engine {}: {:.2e} (tolerance {:.2e}){}\n",
             options_.gpus, check.engine, check.max_abs_diff, check.tol, check.passed ? "" : "  too far");
  if (bug_ == "none" && !check.passed && check.max_abs_diff <= 64 * check.tol)
    fmt::print(run.out,
               "so small a difference may be one activation at the kink of its ReLU: see whether another "
               "--seed passes\n");
  run.record.add_check("difference from the CPU engine's update", check.max_abs_diff, check.tol,
                       check.passed);
}

void print_tensors(std::ostream& out, const ParityReport& report) {
  fmt::print(out, "{:<13} {:>14} {:>14} {:>8} {:>12}\n", "tensor", "max |update|", "max |diff|", "ulps",
             "tolerance");
  for (const TensorParity& t : report.tensors)
    fmt::print(out, "{:<13} {:>14.3e} {:>14.3e} {:>8.1f} {:>12.2e}{}\n", t.name, t.max_abs_update,
               t.max_abs_diff, t.ulps, t.tol, t.passed ? "" : "  too far");
}

void Parity::open_devices(Run& run) {
  backend_ = open_backend(options_, run.record.environment());
  one_ = std::make_unique<Group>(backend_->open(options_.device_request(1)));
  many_ = std::make_unique<Group>(backend_->open(options_.device_request(options_.gpus)));
  record_devices(run.record, *many_, *backend_);
  if (backend_->name() == "cpu") return;
  cpu_ = make_backend("cpu");
  cpu_group_ = std::make_unique<Group>(cpu_->open({1, options_.threads_per_device}));
}

void Parity::run(Run& run) {
  open_devices(run);
  if (const auto link = link_model(options_.link)) record_link(run.record, *link);
  const auto batch = std::size_t(options_.batch);
  data_ = load_dataset(options_.data, run.seed, std::max(batch, std::size_t(options_.gpus) + 1));
  if (data_.train.size() < batch)
    throw Error(Exit::usage,
                fmt::format("--batch {}: the data set has {} examples", batch, data_.train.size()));
  run.record.verdict()["data"] = describe_data(data_);
  if (mutations_) return run_mutations(run);

  const Fault fault = parse_fault(bug_);
  const ParityReport report = compare(run, fault, batch);
  fmt::print(run.out, "one step, batch {}, lr {}: 1 device against {} (shards {})\n", batch, options_.lr,
             options_.gpus, fmt::join(shard_sizes_, ", "));
  if (fault != Fault::none) fmt::print(run.out, "planted fault: {} ({})\n", bug_, describe(fault));
  if (!options_.link.empty()) fmt::print(run.out, "gradients travel over an {}\n", transport_);
  fmt::print(run.out, "\n");
  print_tensors(run.out, report);
  fmt::print(run.out, "\nloss {:.9f} on 1, {:.9f} on {}\n", loss_one_, loss_many_, options_.gpus);
  fmt::print(run.out, "max update difference, k=1 vs k={}: {:.2e} (largest update {:.2e})\n", options_.gpus,
             report.max_abs_diff, report.max_abs_update);
  fmt::print(run.out, "ratio of update norms {:.3f}, replicas {}\n", report.norm_ratio,
             report.replicas_equal ? "equal" : "DIFFER");
  if (cpu_ != nullptr) report_cpu(run, cpu_check_);
  const bool passed = report.passed && cpu_check_.passed;
  fmt::print(run.out, "parity {}\n", passed ? "passed" : "FAILED");
  if (fault == Fault::mean_of_means && shard_sizes_.front() == shard_sizes_.back())
    fmt::print(run.out,
               "equal shards: here the mean of means is the mean; try a batch that {} does not divide\n",
               options_.gpus);
  run.record.verdict()["parity"] = passed;
  run.record.verdict()["norm_ratio"] = report.norm_ratio;
  run.record.add_check("max update difference", report.max_abs_diff, "each tensor within its tol",
                       report.passed);
}

void Parity::run_mutations(Run& run) {
  fmt::print(run.out, "{:<15} {:>6} {:>9} {:>12} {:>7}  {}\n", "fault", "batch", "ratio", "max |diff|",
             "caught", "what it does");
  std::size_t caught = 0;
  CpuCheck fault_free;
  const std::size_t faults = fault_names().size() - 1;
  for (std::size_t i = 0; i <= faults; ++i) {
    const Fault fault = Fault(i);
    const auto k = std::size_t(options_.gpus);
    auto batch = std::size_t(options_.batch);
    if (fault == Fault::mean_of_means && batch % k == 0)
      batch = k + 1;  // shards 2, 1, ...: the fault's worst case
    const ParityReport report = compare(run, fault, batch);
    const bool right = (fault == Fault::none) == report.passed;
    if (fault != Fault::none && right) ++caught;
    fmt::print(run.out, "{:<15} {:>6} {:>9.3f} {:>12.2e} {:>7}  {}\n", fault_names()[i], batch,
               report.norm_ratio, report.max_abs_diff,
               fault == Fault::none ? "-"
               : right              ? "yes"
                                    : "NO",
               describe(fault));
    run.record.add_check(fault == Fault::none ? "parity without a fault" : "caught: " + fault_names()[i],
                         report.norm_ratio, fault == Fault::none ? "passes" : "fails", right);
    if (fault == Fault::none && cpu_ != nullptr) fault_free = cpu_check_;
  }
  fmt::print(run.out, "\n{} of {} planted faults caught\n", caught, faults);
  if (cpu_ != nullptr) report_cpu(run, fault_free);
  run.record.verdict()["faults_planted"] = faults;
  run.record.verdict()["faults_caught"] = caught;
}

}  // namespace

std::unique_ptr<Experiment> make_parity() {
  return std::make_unique<Parity>();
}

}  // namespace dpx
