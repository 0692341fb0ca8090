// dpx ring: one allreduce algorithm step by step: table, traffic, simulated time and a real run.
#include <fmt/ostream.h>

#include <algorithm>

#include "apps/commands.hpp"                 // declares: make_ring_command
#include "apps/commands/emulated_links.hpp"  // defines: declare_link, record_link, time_allreduces
#include "apps/commands/gpu_options.hpp"     // defines: GpuOptions, record_devices
#include "apps/commands/ring_report.hpp"     // defines: RingProblem, print_*, *_case
#include "apps/experiment.hpp"               // defines: Experiment, Run
#include "kernels/backends.hpp"              // defines: make_backend
#include "lib/comm/schedule_checks.hpp"      // defines: Finding, check_*
#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"  // defines: throw_if_interrupted
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr int kMaxTraced = 64;   // the tracer's work grows with the cube of the devices
constexpr int kMaxPrinted = 16;  // and its table with the square
constexpr int kMaxRunDevices = 16;
constexpr int kTimedRuns = 5;
constexpr std::int64_t kMaxRunBytes = 64 << 20;
constexpr std::int64_t kMaxBytes = std::int64_t(1) << 44;
constexpr int kMaxDevices = 1 << 16;

// Counts a walk's traffic, shows how far it is and lets Ctrl-C end it.
class WatchedCount final : public Link {
 public:
  WatchedCount(Progress& progress, const Schedule& schedule)
      : counter(schedule.world_size()), progress_(progress) {
    progress_.start(schedule.name(), schedule.num_steps());
  }
  ~WatchedCount() override { progress_.finish(); }
  void transfer(const Transfer& t, Range elements) override { counter.transfer(t, elements); }
  void end_step() override {
    throw_if_interrupted();
    progress_.tick(++steps_);
  }
  CountingLink counter;

 private:
  Progress& progress_;
  std::int64_t steps_ = 0;
};

class Ring final : public Experiment {
 public:
  void declare(Fields& fields) override;
  void check() override;
  void run(Run& run) override;

 private:
  std::vector<RankTraffic> count_and_simulate(Run& run, const RingProblem& problem,
                                              std::vector<SimulatedTime>& simulated) const;
  void report_trace(Run& run, const RingProblem& problem) const;
  void run_on_devices(Run& run, const RingProblem& problem) const;
  static void time_emulated(Run& run, const RingProblem& problem, Reducer& reducer, Group& group,
                            const LinkModel& link);

  std::string algo_ = "ring", simulate_, link_, backend_ = "auto";
  int gpus_ = 4, threads_per_device_ = 1;
  std::int64_t elements_ = 16, bytes_ = 0;
  GpuOptions gpu_;
  const Field *elements_field_ = nullptr, *bytes_field_ = nullptr, *gpus_field_ = nullptr;
};

void check_simulate(const std::string& text) {
  if (!text.empty()) parse_link_model(text);
}

// Empty when the problem is small enough for the devices.
std::string why_no_run(const RingProblem& problem) {
  if (problem.world_size() > kMaxRunDevices)
    return fmt::format("{} devices are more than {}", problem.world_size(), kMaxRunDevices);
  if (problem.bytes() > kMaxRunBytes)
    return fmt::format("{} per device are more than {}", format_bytes(problem.bytes()),
                       format_bytes(kMaxRunBytes));
  return "";
}

void record_all(Run& run, const std::vector<Finding>& findings) {
  for (const Finding& f : findings) run.record.add_check(f.name, f.value, f.limit, f.passed);
}

void Ring::declare(Fields& fields) {
  const std::string algorithms = "allreduce algorithm: " + describe_schedule_names();
  fields.text("algo", &algo_, check_schedule_name, "", algorithms).group("problem");
  gpus_field_ =
      &fields.integer("gpus", &gpus_, {1, kMaxDevices}, "number of devices, k").alias("g").group("problem");
  elements_field_ =
      &fields.integer("elements", &elements_, {0, kMaxBytes / 4}, "fp32 elements per device, at least 1")
           .group("problem");
  bytes_field_ = &fields.bytes("bytes", &bytes_, {0, kMaxBytes}, "size per device, in place of --elements")
                      .optional()
                      .group("problem");
  fields
      .text("simulate", &simulate_, check_simulate, "",
            fmt::format("simulate the time on such links: {}", kLinkSyntax))
      .optional()
      .group("simulation");
  fields.choice("backend", &backend_, {"auto", "cpu", "cuda"}, "where the real run's devices are")
      .group("devices");
  declare_link(fields, &link_).group("devices");
  fields.integer("threads-per-device", &threads_per_device_, {1, 256}, "cores that a CPU device works with")
      .group("devices");
  gpu_.declare(fields);
}

void Ring::check() {
  if (elements_field_->was_set() && elements_ == 0)
    throw Error(Exit::usage, "--elements 0: size must be at least 1 element");
  if (bytes_field_->was_set()) {
    if (bytes_ == 0) throw Error(Exit::usage, "--bytes 0: size must be at least 1 element of 4 bytes");
    if (bytes_ % RingProblem::kBytesPerElement != 0)
      throw Error(Exit::usage,
                  fmt::format("--bytes {} is no whole number of fp32 elements of 4 bytes", bytes_));
    const std::int64_t elements = bytes_ / RingProblem::kBytesPerElement;
    if (elements_field_->was_set() && elements_ != elements)
      throw Error(Exit::usage,
                  fmt::format("--bytes {} is {} elements, --elements {} says otherwise; give one", bytes_,
                              elements, elements_));
    elements_ = elements;
  }
  gpu_.resolve(backend_, gpus_, gpus_field_->was_set());
  make_schedule(algo_, gpus_);
}

void Ring::run(Run& run) {
  const auto schedule = make_schedule(algo_, gpus_);
  const RingProblem problem{*schedule, std::size_t(elements_)};
  std::vector<SimulatedTime> simulated;
  const std::vector<RankTraffic> traffic = count_and_simulate(run, problem, simulated);

  print_head(run.out, problem);
  report_trace(run, problem);
  print_traffic(run.out, problem, traffic);
  run.record.add_case(traffic_case(problem, traffic));
  record_all(run, check_traffic(*schedule, problem.count, RingProblem::kBytesPerElement, traffic));
  if (!simulated.empty()) {
    print_simulated(run.out, problem, describe(parse_link_model(simulate_)), simulated);
    for (const SimulatedTime& row : simulated) {
      run.record.add_case(simulated_case(problem, row));
      record_all(run, check_simulated(row));
    }
  }
  run.out.flush();
  run_on_devices(run, problem);
}

std::vector<RankTraffic> Ring::count_and_simulate(Run& run, const RingProblem& problem,
                                                  std::vector<SimulatedTime>& simulated) const {
  WatchedCount watch(run.progress, problem.schedule);
  if (simulate_.empty()) {
    walk(problem.schedule, {0, problem.count}, watch);
    return watch.counter.ranks();
  }
  const LinkModel model = parse_link_model(simulate_);
  simulated.push_back(
      simulate(problem.schedule, problem.count, RingProblem::kBytesPerElement, model, &watch));
  for (const char* other : {"ring", "star", "tree"}) {
    if (problem.schedule.name() == other) continue;
    const auto schedule = make_schedule(other, gpus_);
    WatchedCount watch_other(run.progress, *schedule);
    simulated.push_back(
        simulate(*schedule, problem.count, RingProblem::kBytesPerElement, model, &watch_other));
  }
  return watch.counter.ranks();
}

void Ring::report_trace(Run& run, const RingProblem& problem) const {
  if (problem.world_size() > kMaxTraced) {
    fmt::print(run.out, "more than {} devices: contributions are not traced\n", kMaxTraced);
    return;
  }
  const ScheduleTrace trace = trace_schedule(problem.schedule, problem.count);
  record_all(run, check_trace(trace));
  if (problem.world_size() <= kMaxPrinted) {
    print_trace(run.out, problem, trace);
    run.record.verdict()["trace"] = trace_json(problem, trace);
  } else {
    fmt::print(run.out, "more than {} devices: contributions were traced, their table is left out\n",
               kMaxPrinted);
  }
}

void Ring::run_on_devices(Run& run, const RingProblem& problem) const {
  if (const std::string reason = why_no_run(problem); !reason.empty()) {
    fmt::print(run.out, "\nno real run on devices: {}\n", reason);
    run.record.verdict()["device_run"] = "left out: " + reason;
    return;
  }
  const auto backend = make_backend(backend_);
  Group group(backend->open(gpu_.request(problem.world_size(), threads_per_device_)));
  record_devices(run.record, group, *backend);
  const std::optional<LinkModel> link = link_model(link_);
  const auto reducer = backend->make_reducer_on(link, problem.schedule.name(), group);
  run.record.verdict()["transport"] = reducer->transport();
  const SumCheck sum = check_sum(*reducer, group, problem.count);
  run.record.add_case(device_case(problem, sum));
  run.record.verdict()["device_run"] = "done";
  record_all(run, check_device_sum(sum));
  const bool emulated = run.record.environment().value("emulated", false);
  fmt::print(run.out,
             "\nreal run of {} on {} {} device(s){}: #wrong {}{}, results {} bit for bit (hash {:016x})\n",
             reducer->name(), group.size(), backend->name(),
             emulated ? " that share this machine's hardware (emulated)" : "", sum.wrong,
             sum.wrong > 0 ? " (" + sum.first_wrong + ")" : "", sum.identical() ? "equal" : "DIFFERENT",
             sum.hashes[0]);
  if (link) time_emulated(run, problem, *reducer, group, *link);
}

void Ring::time_emulated(Run& run, const RingProblem& problem, Reducer& reducer, Group& group,
                         const LinkModel& link) {
  record_link(run.record, link);
  const double model_s = link_time_s(problem.schedule.name(), group.size(), {{0, problem.count}}, link);
  const std::vector<double> samples_s = time_allreduces(reducer, group, problem.count, kTimedRuns);
  throw_if_interrupted();  // the link stops waiting then
  run.record.add_case(emulated_case(problem, samples_s, model_s));
  const double least_s = *std::min_element(samples_s.begin(), samples_s.end());
  run.record.add_check("never faster than the emulated link", least_s, model_s, least_s >= model_s);
  print_emulated(run.out, problem, reducer.transport(), samples_s, model_s);
}

}  // namespace

std::unique_ptr<Experiment> make_ring_command() {
  return std::make_unique<Ring>();
}

}  // namespace dpx
