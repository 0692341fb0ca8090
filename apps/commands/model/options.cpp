#include "apps/commands/model/options.hpp"

#include <fmt/format.h>

#include "apps/commands/model/topic.hpp"
#include "lib/comm/schedule.hpp"
#include "lib/core/error.hpp"
#include "lib/core/names.hpp"
#include "lib/core/units.hpp"

namespace dpx {
namespace {

constexpr std::int64_t kMaxGpus = 1 << 20, kMaxBytes = 1'000'000'000'000'000;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

void check_algorithms(const std::string& text) {
  for (const std::string& name : split(text))
    if (name != "two-level") check_schedule_name(name);
}

}  // namespace

Field& ModelOptions::time(Fields& fields, const std::string& name, const std::string& help) {
  names_.push_back(name);
  return fields
      .text(
          name, &times_[name], [](const std::string& text) { parse_seconds(text); }, "3ns, 10us, 2ms, 1.5s",
          help)
      .optional();
}

Field& ModelOptions::rate(Fields& fields, const std::string& name, const std::string& help) {
  names_.push_back(name);
  return fields
      .text(
          name, &rates_[name], [](const std::string& text) { parse_rate_Bps(text); }, "5GB/s, 800MB/s", help)
      .optional();
}

Field& ModelOptions::real(Fields& fields, const std::string& name, RealBounds bounds,
                          const std::string& help) {
  names_.push_back(name);
  return fields.real(name, &reals_[name], bounds, help).optional();
}

void ModelOptions::declare(Fields& fields) {
  fields_ = &fields;
  fields.choice("topic", &topic, topic_names(), "question to answer").positional().optional();
  declare_link(fields);
  declare_step(fields);
  declare_rest(fields);
}

void ModelOptions::declare_link(Fields& fields) {
  const char* const group = "devices and links";
  const auto own = [&](Field& field) -> void {
    names_.push_back(field.name());
    field.optional().group(group);
  };
  own(fields.text("from", &from_, "record whose verdict.fit gives the constants that no flag gives"));
  own(fields.integers("gpus", &gpus, {1, kMaxGpus}, "number of devices k").alias("g"));
  time(fields, "alpha", "start of a transfer").group(group);
  rate(fields, "beta", "bandwidth of a link, each way").group(group);
  own(fields.choice("duplex", &duplex, {"full", "bus"},
                    "full: all links at once, both ways; bus: one transfer at a time"));
  own(fields.text("algo", &algo_, check_algorithms,
                  describe_schedule_names() + ", two-level; several with commas",
                  "allreduce algorithm, ring unless given"));
  own(fields.integer("tensors", &tensors, {1, 1'000'000}, "the bytes go in that many allreduces"));
  own(fields.integer("ranks-per-node", &ranks_per_node, {1, kMaxGpus},
                     "two levels of links, 8 unless given"));
  time(fields, "alpha-inter", "alpha between nodes, as --alpha unless given").group(group);
  rate(fields, "beta-inter", "beta between nodes; --beta is then inside them").group(group);
  own(fields.integers("servers", &servers, {1, kMaxGpus}, "number of parameter servers s"));
}

void ModelOptions::declare_step(Fields& fields) {
  const char* const group = "model and step";
  const auto own = [&](Field& field) -> void {
    names_.push_back(field.name());
    field.optional().group(group);
  };
  own(fields.integers("bytes", &bytes, {1, kMaxBytes}, "gradient bytes N per device"));
  real(fields, "params", {1, 1e15}, "parameters instead of bytes, as 11.2e6").group(group);
  own(fields.choice("grad-dtype", &grad_dtype, {"fp32", "bf16"}, "of --params' gradients"));
  time(fields, "t0", "part of forward + backward that does not shrink with the shard").group(group);
  time(fields, "c", "forward + backward per example").group(group);
  real(fields, "batch", {1, 1e12}, "global batch B (weak scaling: per device)").group(group);
  own(fields.choice("mode", &mode, {"strong", "weak", "both"}, "what is held fixed, strong unless given"));
  own(fields.integer("accumulate", &accumulate, {1, 1'000'000}, "micro-batches per allreduce"));
  own(fields.integer("examples", &examples, {1, std::int64_t(1e15)}, "of an epoch; adds its time"));
  time(fields, "backward", "time of the backward pass").group(group);
  own(fields.integers("bucket", &bucket, {1, kMaxBytes}, "bucket sizes, 25MB unless given"));
}

void ModelOptions::declare_rest(Fields& fields) {
  const char* const group = "single topics";
  const auto own = [&](Field& field) -> void {
    names_.push_back(field.name());
    field.optional().group(group);
  };
  real(fields, "layers", {1, 1e9}, "depth L of a stack of dense layers").group(group);
  real(fields, "hidden", {1, 1e9}, "width d of its layers").group(group);
  own(fields.integers("micro-batches", &micro_batches, {1, 1'000'000}, "m of a pipeline"));
  own(fields.integer("stages", &stages, {1, 1'000'000}, "of a pipeline, 2 unless given"));
  time(fields, "time", "measured time of an allreduce").group(group);
  rate(fields, "algbw", "N/t").group(group);
  rate(fields, "busbw", "N/t 2(k-1)/k").group(group);
  rate(fields, "effective", "2N/t").group(group);
  own(fields.text("nccl-tests", &nccl_tests, "JSON file that all_reduce_perf -J wrote"));
  own(fields.integers("channels", &channels, {1, 1'000'000'000}, "of the normalized layers"));
  own(fields.integers("width", &width, {1, 256}, "width factors of LeNet"));
  real(fields, "tflops", {0, 1e9, true}, "achieved rate of a device in TFLOP/s").group(group);
  real(fields, "bytes-per-param", {0, 1e6, true}, "weights, gradients and optimizer state").group(group);
  own(fields.bytes("card", &card, {1, kMaxBytes}, "memory of a device"));
  own(fields.integers("shards", &shards, {1, kMaxBytes}, "examples, or tokens, per shard"));
}

std::vector<std::string> ModelOptions::algorithms() const {
  return split(algo_);
}

bool ModelOptions::given(std::string_view name) const {
  const Field* const field = fields_->find(name);
  return field != nullptr && field->was_set();
}

bool ModelOptions::has(std::string_view name) const {
  return given(name) || record_.constants.contains(name);
}

double ModelOptions::number(std::string_view name) const {
  if (given(name)) {
    if (const auto at = times_.find(name); at != times_.end()) return parse_seconds(at->second);
    if (const auto at = rates_.find(name); at != rates_.end()) return parse_rate_Bps(at->second);
    return reals_.find(name)->second;
  }
  if (const auto at = record_.constants.find(name); at != record_.constants.end()) return at->second;
  throw Error(Exit::usage,
              fmt::format("model {} needs --{}; example: dpx model {}", topic_->name, name, topic_->example));
}

void ModelOptions::require_with(std::string_view flag, std::string_view needs) const {
  if (given(flag) && !has(needs))
    throw Error(Exit::usage, fmt::format("--{}: model {} needs --{} with it", flag, topic_->name, needs));
}

double ModelOptions::number_or(std::string_view name, double fallback) const {
  return has(name) ? number(name) : fallback;
}

AlphaBeta ModelOptions::link() const {
  return {number_or("alpha", 0), number("beta")};
}

std::vector<double> ModelOptions::gradient_sizes() const {
  if (given("bytes")) return {bytes.begin(), bytes.end()};
  if (has("params")) return {number("params") * bytes_per_value()};
  throw Error(Exit::usage, fmt::format("model {} needs --bytes or --params; example: dpx model {}",
                                       topic_->name, topic_->example));
}

double ModelOptions::gradient_bytes() const {
  const std::vector<double> sizes = gradient_sizes();
  if (sizes.size() != 1)
    throw Error(Exit::usage,
                fmt::format("--bytes: model {} takes one size, not {}", topic_->name, sizes.size()));
  return sizes[0];
}

std::string ModelOptions::source_line() const {
  return from_.empty() ? "" : describe(record_, from_) + "\n";
}

void ModelOptions::check(const Topic& topic_in) {
  topic_ = &topic_in;
  const auto used = [&](std::string_view name) {
    return std::find(topic_in.flags.begin(), topic_in.flags.end(), name) != topic_in.flags.end();
  };
  for (const std::string& name : names_)
    if (given(name) && !used(name)) {
      std::vector<std::string> known;
      for (const std::string_view flag : topic_in.flags) known.push_back("--" + std::string(flag));
      throw Error(Exit::usage, fmt::format("--{} is not used by \"model {}\", which takes {}", name,
                                           topic_in.name, join(known)));
    }
  if (given("bytes") && given("params"))
    throw Error(Exit::usage, "--bytes and --params both give the gradient's size; one is allowed");
  if (given("grad-dtype") && given("bytes"))
    throw Error(Exit::usage, "--grad-dtype goes with --params; --bytes already says how many bytes");
  if (given("from")) record_ = read_fit(from_);
  for (const std::string_view name : topic_in.needs)
    if (name == "bytes") {
      gradient_sizes();
    } else if (!has(name)) {
      throw Error(Exit::usage, fmt::format("model {} needs --{}; example: dpx model {}", topic_in.name, name,
                                           topic_in.example));
    }
}

}  // namespace dpx
