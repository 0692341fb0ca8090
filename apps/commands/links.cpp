// dpx links: what each link between devices, and to the host, carries, over each transport that there is.
#include <fmt/ostream.h>

#include <algorithm>

#include "apps/commands.hpp"              // declares: make_links
#include "apps/commands/gpu_options.hpp"  // defines: GpuOptions, record_devices
#include "apps/commands/peer_matrix.hpp"  // defines: report_peer_access, mechanism_of
#include "apps/experiment.hpp"            // defines: Experiment, Run
#include "kernels/backends.hpp"           // defines: make_backend
#include "lib/comm/reducer.hpp"           // defines: kNccl
#include "lib/core/error.hpp"
#include "lib/core/interrupt.hpp"       // defines: throw_if_interrupted
#include "lib/core/units.hpp"           // defines: format_bytes, format_seconds, format_rate
#include "lib/measure/fits.hpp"         // defines: fit_two_costs
#include "lib/measure/link_timing.hpp"  // defines: CopyPath, CopyAll, copy_times_s
#include "lib/measure/statistics.hpp"   // defines: percentile

namespace dpx {
namespace {

/// One row of measurements: a link in one direction, or in both at once.
struct MeasuredLink {
  std::string name, transport, direction;
  std::vector<CopyPath> paths;
  CopyAll copy = copy_by_streams;
};

class Links final : public Experiment {
 public:
  void declare(Fields& fields) override;
  void check() override { gpu_.resolve(backend_, gpus_, gpus_field_->was_set()); }
  void run(Run& run) override;

 private:
  void measure_group(Run& run, Backend& backend, const std::string& transport);
  void add_host_links(Run& run, Group& group, const std::vector<Slice>& out, const std::vector<Slice>& in,
                      std::vector<Buffer>& owned, std::vector<MeasuredLink>& links) const;
  void measure(Run& run, const Backend& backend, Group& group, const MeasuredLink& link);
  void report_fit(Run& run, const MeasuredLink& link, const std::vector<double>& medians_s) const;
  void skip(Run& run, const std::string& transport, const std::string& reason) const;
  int chain_for(std::int64_t bytes) const;

  std::string backend_ = "auto";
  int gpus_ = 2, threads_per_device_ = 1, iters_ = 7;
  GpuOptions gpu_;
  std::vector<std::int64_t> bytes_{4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
  const Field* gpus_field_ = nullptr;
};

void Links::declare(Fields& fields) {
  fields.choice("backend", &backend_, {"auto", "cpu", "cuda"}, "where the devices are").group("devices");
  gpus_field_ = &fields.integer("gpus", &gpus_, {1, 64}, "number of devices, k").alias("g").group("devices");
  gpu_.declare(fields);
  fields.integers("bytes", &bytes_, {4, std::int64_t(1) << 36}, "sizes of the copies, at least 3 to fit")
      .group("problem");
  fields.integer("iters", &iters_, {1, 100000}, "timed samples per size").alias("n").group("measuring");
}

// The devices' own memory, in whole fp32 elements.
std::vector<Slice> allocate_all(Group& group, std::size_t bytes, std::vector<Buffer>& owned) {
  std::vector<Slice> slices;
  for (int rank = 0; rank < group.size(); ++rank) {
    owned.push_back(group.device(rank).allocate(bytes));
    slices.push_back(owned.back().slice(DType::f32));
  }
  return slices;
}

std::vector<MeasuredLink> device_links(Group& group, const std::string& transport,
                                       const std::vector<Slice>& out, const std::vector<Slice>& in,
                                       const CopyAll& copy) {
  const auto name = [&](int rank) { return group.device(rank).info().name; };
  const auto path = [&](int from, int to) {
    return CopyPath{&group.device(to).comm(), &group.device(from).comm(), in[std::size_t(to)],
                    out[std::size_t(from)]};
  };
  std::vector<MeasuredLink> links;
  for (int a = 0; a < group.size(); ++a)
    for (int b = 0; b < group.size(); ++b) {
      if (a != b) links.push_back({name(a) + " -> " + name(b), transport, "one way", {path(a, b)}, copy});
      if (a < b)
        links.push_back(
            {name(a) + " <-> " + name(b), transport, "both ways", {path(a, b), path(b, a)}, copy});
    }
  return links;
}

/// To and from pinned host memory, by the copy engines.
std::vector<MeasuredLink> host_links(Group& group, const std::vector<Slice>& out,
                                     const std::vector<Slice>& in, const std::vector<Slice>& host_out,
                                     const std::vector<Slice>& host_in) {
  std::vector<MeasuredLink> links;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto r = std::size_t(rank);
    Device& device = group.device(rank);
    const CopyPath down{&device.comm(), &device.comm(), in[r], host_out[r]},
        up{&device.compute(), &device.compute(), host_in[r], out[r]};
    const std::string name = device.info().name;
    links.push_back({"host -> " + name, "copy engine", "one way", {down}});
    links.push_back({name + " -> host", "copy engine", "one way", {up}});
    links.push_back({"host <-> " + name, "copy engine", "both ways", {down, up}});
  }
  return links;
}

void Links::run(Run& run) {
  const auto backend = make_backend(backend_);
  std::vector<std::string> transports{gpu_.transport};
  if (backend->name() == "cuda" && gpu_.transport == "auto") {
    transports.assign(transport_names().begin() + 1, transport_names().end());
    transports.emplace_back(kNccl);
    const Group group(backend->open(gpu_.request(gpus_, threads_per_device_)));
    report_peer_access(run, *backend, group);
    for (const std::string& transport : transports)
      fmt::print(run.out, "{:<8} {}\n", transport, mechanism_of(transport));
    fmt::print(run.out, "\n");
  }
  fmt::print(run.out, "{:<20} {:<12} {:<10} {:>9} {:>11} {:>11}\n", "link", "transport", "direction", "bytes",
             "time", "rate");
  for (const std::string& transport : transports) measure_group(run, *backend, transport);
}

void Links::measure_group(Run& run, Backend& backend, const std::string& transport) {
  DeviceRequest request = gpu_.request(gpus_, threads_per_device_);
  if (transport != kNccl) request.transport = transport;
  std::unique_ptr<Group> group;
  std::vector<Buffer> owned;  // outlives the library's work
  std::unique_ptr<LibraryCopier> library;
  try {
    group = std::make_unique<Group>(backend.open(request));
    if (transport == kNccl) library = backend.make_library_copier(*group);
  } catch (const Error& e) {
    const bool may_be_missing = gpu_.transport == "auto" && (transport == "peer" || transport == kNccl);
    if (!may_be_missing || e.code() != Exit::unavailable) throw;
    return skip(run, transport, e.what());
  }
  record_devices(run.record, *group, backend);
  const auto largest = std::size_t(*std::max_element(bytes_.begin(), bytes_.end()));
  const std::vector<Slice> out = allocate_all(*group, largest, owned),
                           in = allocate_all(*group, largest, owned);
  const std::string name = backend.name() == "cpu" ? "memory" : transport;
  CopyAll copy = copy_by_streams;
  if (library) copy = [&library](const std::vector<CopyPath>& paths) { library->copy(paths); };
  std::vector<MeasuredLink> links = device_links(*group, name, out, in, copy);
  if (backend.name() == "cuda" && !run.record.verdict().contains("host_links"))
    add_host_links(run, *group, out, in, owned, links);
  for (const MeasuredLink& link : links) measure(run, backend, *group, link);
  group->synchronize();
}

void Links::add_host_links(Run& run, Group& group, const std::vector<Slice>& out,
                           const std::vector<Slice>& in, std::vector<Buffer>& owned,
                           std::vector<MeasuredLink>& links) const {
  std::vector<Slice> host_out, host_in;
  for (int rank = 0; rank < group.size(); ++rank)
    for (std::vector<Slice>* slices : {&host_out, &host_in}) {
      owned.push_back(group.device(rank).allocate_host(out[0].bytes()));
      slices->push_back(owned.back().slice(DType::f32));
    }
  for (MeasuredLink& link : host_links(group, out, in, host_out, host_in)) links.push_back(std::move(link));
  run.record.verdict()["host_links"] = "pinned memory, copy engines";
}

// Enough copies in a row that starting the clock does not count.
int Links::chain_for(std::int64_t bytes) const {
  constexpr std::int64_t kBytesInChain = 64 << 20;
  return int(std::clamp<std::int64_t>(kBytesInChain / bytes, 1, 50));
}

void Links::measure(Run& run, const Backend& backend, Group& group, const MeasuredLink& link) {
  std::vector<double> medians_s;
  for (const std::int64_t bytes : bytes_) {
    throw_if_interrupted();
    const auto size = std::size_t(bytes) / sizeof(float) * sizeof(float);
    copy_times_s(group, link.paths, size, 1, 1, link.copy);  // warm-up: makes the lanes
    Case row;
    row.samples_s = copy_times_s(group, link.paths, size, chain_for(bytes), iters_, link.copy);
    medians_s.push_back(percentile(row.samples_s, 50));
    const double rate = double(size) * double(link.paths.size()) / medians_s.back();
    row.key = {
        {"link", link.name}, {"transport", link.transport}, {"direction", link.direction}, {"bytes", size}};
    row.metrics = {{"rate_GBps", rate * 1e-9},
                   {"copies_in_chain", chain_for(bytes)},
                   {"mechanism", mechanism_of(link.transport)}};
    note_gpu_states(row, backend);
    run.record.add_case(row);
    fmt::print(run.out, "{:<20} {:<12} {:<10} {:>9} {:>11} {:>11}\n", link.name, link.transport,
               link.direction, format_bytes(bytes), format_seconds(medians_s.back()), format_rate(rate));
  }
  for (const std::string& wrong : wrong_bytes(group, link.paths, link.copy))
    run.record.add_check("bytes arrive: " + link.name + " " + link.transport + " " + link.direction, wrong,
                         "", wrong.empty());
  report_fit(run, link, medians_s);
  run.out.flush();
}

void Links::report_fit(Run& run, const MeasuredLink& link, const std::vector<double>& medians_s) const {
  if (bytes_.size() < kMinFitPoints) return;
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < bytes_.size(); ++i) points.push_back({1, double(bytes_[i]), medians_s[i]});
  const Fit fit = fit_two_costs(points);
  constexpr double kLeastPerByte = 1e-15;  // beyond a petabyte per second the sizes tell nothing of beta
  const double beta = fit.q.value > kLeastPerByte ? 1 / fit.q.value : 0;
  run.record.verdict()["fits"].push_back({{"link", link.name},
                                          {"transport", link.transport},
                                          {"direction", link.direction},
                                          {"alpha_s", fit.p.value},
                                          {"beta_Bps", beta > 0 ? Json(beta) : Json(nullptr)},
                                          {"max_residual", fit.max_residual}});
  fmt::print(run.out, "{:<20} {:<12} {:<10} alpha {}, beta {} per direction (fit within {:.0f} %)\n",
             link.name, link.transport, link.direction, format_seconds(fit.p.value),
             beta > 0 ? format_rate(beta) : "n/a", fit.max_residual * 100);
}

void Links::skip(Run& run, const std::string& transport, const std::string& reason) const {
  Case row;
  row.key = {{"link", "all"}, {"transport", transport}, {"direction", "one way"}, {"bytes", nullptr}};
  row.status = "skipped";
  row.reason = reason;
  run.record.add_case(row);
  fmt::print(run.out, "{:<20} {:<12} skipped: {}\n", "all", transport, reason);
}

}  // namespace

std::unique_ptr<Experiment> make_links() {
  return std::make_unique<Links>();
}

}  // namespace dpx
