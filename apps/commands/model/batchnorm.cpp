// Topic batchnorm: what synchronizing batch normalization over the shards costs.
#include <fmt/format.h>

#include <numeric>

#include "apps/commands/model/format.hpp"
#include "apps/commands/model/topic.hpp"
#include "apps/table.hpp"
#include "lib/comm/cost_model/allreduce_time.hpp"
#include "lib/comm/cost_model/batch_norm.hpp"
#include "lib/core/error.hpp"
#include "lib/core/units.hpp"
#include "lib/model/lenet.hpp"

namespace dpx {
namespace {

struct Network {
  std::string name;
  std::vector<std::int64_t> channels;
  double gradient_bytes;  // 0: not known
};

// The network that --channels describes, or LeNet with the layers that the chapter's exercise normalizes.
std::vector<Network> networks(const ModelOptions& o) {
  const double given = o.has_gradient_bytes() ? o.gradient_bytes() : 0;
  if (o.has("channels")) return {{"given channels", o.channels, given}};
  std::vector<Network> out;
  for (const std::int64_t width : o.has("width") ? o.width : std::vector<std::int64_t>{1}) {
    const LeNet model{int(width)};
    out.push_back({fmt::format("LeNet, width {}", width),
                   {model.conv1_channels(), model.conv2_channels(), model.hidden()},
                   given > 0 ? given : 4.0 * double(model.num_params())});
  }
  return out;
}

}  // namespace

void model_batchnorm(const ModelOptions& o, Run& run) {
  if (o.given("channels") && o.given("width"))
    throw Error(Exit::usage, "--channels and --width both say what is normalized; one is allowed");
  o.require_with("gpus", "beta");
  o.require_with("alpha", "beta");
  for (const char* flag : {"alpha", "beta"}) o.require_with(flag, "gpus");
  const bool timed = o.has("beta") && o.has("gpus");
  run.out << o.source_line()
          << "per channel a sum and a sum of squares: 2 x 4 bytes per device and step, as much again in the "
             "backward "
             "pass;\nshards of different sizes add one 4-byte count\n\n";
  std::vector<std::string> headers{"<network", "channels", "allreduces",
                                   "forward",  "backward", "of the gradients"};
  if (timed) headers.insert(headers.end(), {"GPUs", "forward time"});
  Table table(headers);
  for (const Network& net : networks(o)) {
    const std::int64_t channels = std::accumulate(net.channels.begin(), net.channels.end(), std::int64_t(0));
    const BatchNormTraffic t = batch_norm_traffic(channels);
    const std::vector<std::string> cells{
        net.name,
        std::to_string(channels),
        fmt::format("{} + {}", net.channels.size(), net.channels.size()),
        fmt::format("{} B", t.forward_bytes),
        fmt::format("{} B", t.backward_bytes),
        net.gradient_bytes > 0
            ? fmt::format("{:.2f} % (1/{:.0f})", 100.0 * double(t.forward_bytes) / net.gradient_bytes,
                          net.gradient_bytes / double(t.forward_bytes))
            : "n/a"};
    Case row;
    row.key = {{"topic", "batchnorm"}, {"network", net.name}};
    row.metrics = {{"channels", channels},
                   {"forward_bytes", t.forward_bytes},
                   {"backward_bytes", t.backward_bytes},
                   {"share_of_gradients",
                    net.gradient_bytes > 0 ? Json(double(t.forward_bytes) / net.gradient_bytes) : Json()}};
    if (!timed) {
      table.row(cells);
      run.record.add_case(row);
      continue;
    }
    for (const std::int64_t k : o.gpus) {
      double time_s = 0;
      for (const std::int64_t layer : net.channels)
        time_s += ring_time(int(k), double(batch_norm_traffic(layer).forward_bytes), o.link()).total_s();
      std::vector<std::string> with_time = cells;
      with_time.insert(with_time.end(), {std::to_string(k), format_seconds(time_s)});
      table.row(with_time);
      row.key["gpus"] = k;
      row.metrics["forward_time_s"] = time_s;
      run.record.add_case(row);
    }
  }
  table.print(run.out);
}

}  // namespace dpx
