#include "apps/commands/training_options.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/commands/emulated_links.hpp"
#include "kernels/backends.hpp"
#include "lib/comm/buckets.hpp"
#include "lib/comm/reducer.hpp"
#include "lib/core/error.hpp"
#include "lib/record/environment.hpp"

namespace dpx {

void declare_bucket(Fields& fields, std::string* bucket) {
  fields
      .text(
          "bucket", bucket,
          [](const std::string& spec) {
            make_buckets({{0, 1}}, spec);
          },
          "tensor, flat or a size such as 25M", "what is reduced together")
      .group("reduction");
}

void TrainingOptions::declare(Fields& fields) {
  fields.choice("backend", &backend, {"auto", "cpu", "cuda"}, "where the devices are").group("devices");
  gpus_field_ = &fields.integer("gpus", &gpus, {1, 256}, "number of devices, k").alias("g").group("devices");
  fields.integer("threads-per-device", &threads_per_device, {1, 256}, "cores that a CPU device works with")
      .group("devices");
  gpu.declare(fields);
  fields.choice("math", &math, {"fp32", "tf32"}, "of products on GPUs: strict fp32, or tensor cores")
      .group("devices");
  fields.on_off("graph", &graph, "capture a GPU's step once and replay it").group("devices");
  fields.integer("batch", &batch, {1, 1 << 20}, "examples per step over all devices").group("training");
  fields.real("lr", &lr, {0, 1e6, true}, "learning rate").group("training");
  fields.integer("width", &width, {1, 16}, "width factor of LeNet's layers").group("training");
  fields.text("data", &data, "auto, synthetic, normal, or a directory with Fashion-MNIST's four files")
      .group("training");
  fields.text("algo", &algo, check_reducer_name, describe_reducer_names(), "allreduce algorithm")
      .group("reduction");
  declare_bucket(fields, &bucket);
  fields.choice("normalize", &normalize, normalize_names(), "how shard gradients make the batch's")
      .group("reduction");
  declare_link(fields, &link).group("reduction");
}

void TrainingOptions::check() {
  gpu.resolve(backend, gpus, gpus_field_->was_set());
  if (batch < gpus)
    throw Error(Exit::usage, fmt::format("--batch {} is smaller than --gpus {}: each device needs an example",
                                         batch, gpus));
  check_reducer(algo, gpus);  // refuses world sizes that the algorithm does not have
}

DeviceRequest TrainingOptions::device_request(int count) const {
  DeviceRequest request = gpu.request(count, threads_per_device);
  request.math = math;
  request.graph = graph;
  return request;
}

StepOptions TrainingOptions::step_options() const {
  return {width, lr, algo, bucket, parse_normalize(normalize), Fault::none, link_model(link)};
}

std::unique_ptr<Backend> open_backend(const TrainingOptions& options, const Json& environment) {
  auto backend = make_backend(options.backend);
  const int threads = options.gpus * options.threads_per_device, cores = environment.value("cores", 1);
  if (backend->name() == "cpu" && threads > cores)
    spdlog::warn(
        "{} device(s) x {} thread(s) = {} threads on {} available core(s): devices take turns, times say "
        "nothing about scaling",
        options.gpus, options.threads_per_device, threads, cores);
  return backend;
}

Json describe_data(const Dataset& data) {
  Json files = Json::array();
  for (const SourceFile& file : data.files)
    files.push_back({{"name", file.name}, {"unpacked_bytes", file.unpacked_bytes}, {"crc32", file.crc32}});
  return {{"dataset", data.name},
          {"directory", data.directory.empty() ? Json() : Json(data.directory)},
          {"train_examples", data.train.size()},
          {"test_examples", data.test.size()},
          {"files", files}};
}

}  // namespace dpx
