// dpx train: the chapter's five epochs on k devices.
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>

#include "apps/commands.hpp"                   // defines: make_train
#include "apps/commands/emulated_links.hpp"    // defines: record_link, link_time_s
#include "apps/commands/explanation.hpp"       // defines: print_explanation, explanation_json
#include "apps/commands/training_options.hpp"  // defines: TrainingOptions, open_backend, describe_data
#include "apps/experiment.hpp"                 // defines: Experiment, Run
#include "lib/core/error.hpp"                  // defines: Error, Exit
#include "lib/core/interrupt.hpp"              // defines: interrupt_signal
#include "lib/core/units.hpp"                  // defines: format_seconds
#include "lib/measure/statistics.hpp"          // defines: percentile
#include "lib/train/replica_check.hpp"         // defines: check_replicas
#include "lib/train/trainer.hpp"               // defines: Trainer, EpochReport

namespace dpx {
namespace {

class Train final : public Experiment {
 public:
  Train() { options_.gpus = 1; }

  void declare(Fields& fields) override {
    options_.declare(fields);
    fields.integer("epochs", &epochs_, {1, 1'000'000}, "passes over the training set").group("training");
    fields.integer("limit", &limit_, {0, 1 << 30}, "use only the first N training examples; 0: all")
        .group("training");
    fields
        .flag("require-known-data", &require_known_, "refuse files that are not the published Fashion-MNIST")
        .group("training");
  }
  void check() override { options_.check(); }
  void run(Run& run) override;

 private:
  void print_plan(Run& run, const Dataset& data, const DataParallel& replicas) const;
  void report_link(Run& run, const DataParallel& replicas) const;
  void print_heading(Run& run) const;
  bool train_epochs(Run& run, const Backend& backend, Trainer& trainer, const Dataset& data);
  void report_epoch(Run& run, const Backend& backend, int epoch, const EpochReport& report);
  void report_replicas(Run& run, DataParallel& replicas, const std::string& when) const;
  void report_memory(Run& run, const Backend& backend) const;
  void report_explanation(Run& run) const;
  void report_outcome(Run& run, const ScoreTotals& test, std::size_t test_size);
  double seconds_per_epoch() const;

  TrainingOptions options_;
  int epochs_ = 5, limit_ = 0;
  bool require_known_ = false;
  std::vector<double> epoch_times_;
  double final_loss_ = 0;
};

void Train::run(Run& run) {
  const Dataset data = load_dataset(options_.data, run.seed, std::size_t(limit_));
  if (!data.known) {
    const std::string what = data.directory + ": not the published Fashion-MNIST (checksums differ)";
    if (require_known_) throw Error(Exit::bad_data, what + "; refused by --require-known-data");
    spdlog::warn(what);
  }
  const auto backend = open_backend(options_, run.record.environment());
  Group group(backend->open(options_.device_request(options_.gpus)));
  record_devices(run.record, group, *backend);

  const LeNet model(options_.width);
  const auto batch = std::size_t(options_.batch);
  DataParallel replicas(group, *backend, model, options_.step_options(),
                        part_of({0, batch}, std::size_t(group.size()), 0).count);
  replicas.set_params(initial_params(model, run.seed));
  print_plan(run, data, replicas);
  if (!options_.link.empty()) report_link(run, replicas);
  print_heading(run);
  Json& verdict = run.record.verdict();
  verdict["data"] = describe_data(data);
  verdict["engine"] = replicas.engine(0).name();
  verdict["algorithm"] = replicas.algorithm();
  verdict["transport"] = replicas.transport();
  verdict["allreduces_per_step"] = replicas.buckets().size();
  verdict["num_params"] = model.num_params();
  verdict["gradient_bytes"] = model.num_params() * sizeof(float);

  report_replicas(run, replicas, "start");
  Trainer trainer(replicas, data.train, batch, run.seed);
  const bool complete = train_epochs(run, *backend, trainer, data);
  if (const std::size_t nodes = replicas.recorded_nodes(); nodes > 0) verdict["graph_nodes_per_step"] = nodes;
  report_replicas(run, replicas, "end");
  report_memory(run, *backend);
  if (complete) report_explanation(run);
  if (complete && data.test.size() > 0) report_outcome(run, trainer.evaluate(data.test), data.test.size());
}

void Train::print_plan(Run& run, const Dataset& data, const DataParallel& replicas) const {
  const std::string batch = fmt::format("batch {}, lr {}, {} allreduce of {} run(s) per step", options_.batch,
                                        options_.lr, replicas.algorithm(), replicas.buckets().size());
  fmt::print(run.out, "LeNet, {} parameters, on {}: {} training and {} test examples\n",
             replicas.model().num_params(), data.name, data.train.size(), data.test.size());
  fmt::print(run.out, "{} device(s){}; {}\n", options_.gpus,
             run.record.environment().value("emulated", false)
                 ? " that share this machine's hardware (emulated)"
                 : "",
             batch);
}

void Train::report_link(Run& run, const DataParallel& replicas) const {
  const LinkModel link = *link_model(options_.link);
  const double time_s = link_time_s(options_.algo, options_.gpus, replicas.buckets(), link);
  record_link(run.record, link);
  run.record.verdict()["link_time_s_per_step"] = time_s;
  fmt::print(run.out, "times are over an {}: allreduce takes {} per step on it\n", replicas.transport(),
             options_.gpus > 1 ? format_seconds(time_s) : "no time");
}

void Train::print_heading(Run& run) const {
  fmt::print(run.out, "\n{:>5} {:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>8} {:>8}\n", "epoch", "loss",
             "train acc", "time s", "data", "fwd+bwd", "allreduce", "update", "other");
  run.out.flush();
}

bool Train::train_epochs(Run& run, const Backend& backend, Trainer& trainer, const Dataset& data) {
  for (int epoch = 1; epoch <= epochs_; ++epoch) {
    run.progress.start(fmt::format("epoch {}/{}", epoch, epochs_), std::int64_t(data.train.size()));
    EpochReport report = trainer.run_epoch(epoch, [&](std::size_t examples) {
      run.progress.tick(std::int64_t(examples));
      return interrupt_signal() == 0;
    });
    run.progress.finish();
    if (!options_.link.empty() && interrupt_signal() != 0)
      report.finished = false;  // the link stops waiting then: this epoch's time is not the link's
    report_epoch(run, backend, epoch, report);
    if (!report.finished || (epoch < epochs_ && interrupt_signal() != 0)) return false;
    if (!std::isfinite(report.loss())) {
      run.record.add_check("loss is finite", report.loss(), "finite", false);
      return false;
    }
  }
  return true;
}

void Train::report_epoch(Run& run, const Backend& backend, int epoch, const EpochReport& report) {
  const PhaseSeconds& p = report.phases;
  const double accuracy =
      double(report.scores.correct) / double(std::max<std::size_t>(report.scores.count, 1));
  Case row;
  row.key = {{"epoch", epoch}, {"gpus", options_.gpus}, {"batch", options_.batch}};
  row.metrics = {{"loss", report.loss()},
                 {"first_step_loss", report.scores.batch_losses.front()},
                 {"train_accuracy", accuracy},
                 {"steps", report.steps},
                 {"examples", report.examples},
                 {"examples_per_s", double(report.examples) / report.time_s},
                 {"data_s", p.data_s},
                 {"forward_backward_s", p.forward_backward_s},
                 {"allreduce_s", p.allreduce_s},
                 {"straggler_s", p.straggler_s},
                 {"update_s", p.update_s},
                 {"launch_s", p.launch_s},
                 {"other_s", p.other_s},
                 {"rank_forward_backward_s", p.rank_forward_backward_s},
                 {"forward_s", p.forward_s ? Json(*p.forward_s) : Json(nullptr)}};
  row.samples_s = {report.time_s};
  note_gpu_states(row, backend);
  if (!report.finished) {
    row.status = "interrupted";
    row.reason = fmt::format("stopped after {} steps", report.steps);
  } else if (!std::isfinite(report.loss())) {
    row.status = "failed";
    row.reason = "the loss is not finite: training diverged";
  }
  run.record.add_case(row);
  if (epoch == 1) run.record.verdict()["first_step_loss"] = report.scores.batch_losses.front();
  if (report.finished) epoch_times_.push_back(report.time_s);
  final_loss_ = report.loss();
  fmt::print(run.out, "{:>5} {:>8.4f} {:>9.4f} {:>8.3f} {:>8.3f} {:>8.3f} {:>9.3f} {:>8.3f} {:>8.3f}{}\n",
             epoch, report.loss(), accuracy, report.time_s, p.data_s, p.forward_backward_s, p.allreduce_s,
             p.update_s, p.other_s, report.finished ? "" : "  (interrupted)");
  run.out.flush();
}

void Train::report_replicas(Run& run, DataParallel& replicas, const std::string& when) const {
  const ReplicaCheck check = check_replicas(replicas);
  run.record.verdict()["replica_hashes_" + when] = check.hashes;
  run.record.add_check("replicas equal at the " + when, check.difference, "equal", check.equal);
}

void Train::report_memory(Run& run, const Backend& backend) const {
  for (const auto& [device, bytes] : backend.peak_memory_bytes()) {
    run.record.verdict()["device_memory_bytes"][device] = bytes;
    fmt::print(run.out, "\nmemory of {}: at most {:.0f} MB, beside what the CUDA libraries hold\n", device,
               double(bytes) * 1e-6);
  }
}

double Train::seconds_per_epoch() const {
  const bool warm = epoch_times_.size() > 1;  // the first epoch warms caches and pages: reported apart
  return percentile(std::span(epoch_times_).subspan(warm ? 1 : 0), 50);
}

void Train::report_explanation(Run& run) const {
  const RecordedStep step = recorded_steps(run.record.document(), "this run").front();
  const Explanation explanation = explain(step.facts);
  run.record.verdict()["explanation"] = explanation_json(explanation);
  print_explanation(run.out, step.facts, explanation);
}

void Train::report_outcome(Run& run, const ScoreTotals& test, std::size_t test_size) {
  const double accuracy = double(test.correct) / double(test.count);
  const double chance = 1.0 / LeNet::kClasses;
  const bool learned = accuracy > 1.5 * chance;
  Json& verdict = run.record.verdict();
  verdict["test_accuracy"] = accuracy;
  verdict["eval_correct"] = test.correct;
  verdict["eval_count"] = test.count;
  verdict["test_loss"] = test.loss_sum / double(test.count);
  verdict["final_loss"] = final_loss_;
  verdict["epoch_1_s"] = epoch_times_.front();
  verdict["sec_per_epoch"] = seconds_per_epoch();
  verdict["learned"] = learned;
  run.record.add_check("every test example counted once", test.count, test_size, test.count == test_size);
  fmt::print(run.out, "\ntest acc {:.2f}, {:.2f} sec/epoch on {} device(s){}\n", accuracy,
             seconds_per_epoch(), options_.gpus, options_.link.empty() ? "" : " over an emulated link");
  if (!learned)
    fmt::print(run.out,
               "the model did not learn: accuracy {:.3f} is near chance ({:.1f}); its times still count\n",
               accuracy, chance);
}

}  // namespace

std::unique_ptr<Experiment> make_train() {
  return std::make_unique<Train>();
}

}  // namespace dpx
