// gpu_ceilings OUT.json [SIDE [BYTES [NODES]]]: what GPU 0 can do at most, as a record for
// scripts/gpu_report.py: copies in its memory, products of SIDE x SIDE matrices in fp32 and tf32, the time of
// a node in a graph of next to empty kernels.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/matmul.hpp"
#include "lib/comm/group.hpp"
#include "lib/measure/statistics.hpp"
#include "lib/record/output.hpp"
#include "lib/record/record.hpp"

namespace dpx::cuda {
namespace {

struct Sizes {
  int side = 8192;
  std::size_t bytes = std::size_t(1) << 30;
  int nodes = 1000;
};

class Ceilings {
 public:
  Ceilings(Record& record, Backend& backend) : record_(record), backend_(backend), stream_(make_stream()) {}
  void copies(std::size_t bytes);
  void products(int side, bool tf32);
  void graph_nodes(int count);

 private:
  /// Times `body` a few times after a warm-up, by the GPU's clock; `amount` per second becomes metric `rate`.
  void measure(const std::string& what, const char* rate, double amount, const std::function<void()>& body);
  Record& record_;
  Backend& backend_;
  StreamHandle stream_;
};

EventHandle timed_event() {
  cudaEvent_t event = nullptr;
  DPX_CHECK(cudaEventCreate(&event));
  return EventHandle(event);
}

void Ceilings::measure(const std::string& what, const char* rate, double amount,
                       const std::function<void()>& body) {
  constexpr int kSamples = 7;
  const EventHandle begin = timed_event(), end = timed_event();
  Case row;
  row.key = {{"what", what}};
  body();
  for (int i = 0; i < kSamples; ++i) {
    float milliseconds = 0;
    DPX_CHECK(cudaEventRecord(begin.get(), stream_.get()));
    body();
    DPX_CHECK(cudaEventRecord(end.get(), stream_.get()));
    DPX_CHECK(cudaEventSynchronize(end.get()));
    DPX_CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
    row.samples_s.push_back(double(milliseconds) * 1e-3);
  }
  const double value = amount / percentile(row.samples_s, 50);
  row.metrics = {{rate, value}, {"amount", amount}};
  for (const GpuState& state : backend_.gpu_states()) {
    row.metrics["gpu_states"].push_back(state.text);
    row.metrics["throttled"] = state.throttled;
  }
  record_.add_case(row);
  fmt::print("{:<14} {:>12.4g} {}\n", what, value, rate);
}

void Ceilings::copies(std::size_t bytes) {
  const DeviceMemory src = allocate_device(bytes), dst = allocate_device(bytes);
  DPX_CHECK(cudaMemsetAsync(src.get(), 0, bytes, stream_.get()));
  measure("device copy", "read_and_written_GBps", 2e-9 * double(bytes),
          [&] { DPX_CHECK(cudaMemcpyAsync(dst.get(), src.get(), bytes, cudaMemcpyDefault, stream_.get())); });
}

void Ceilings::products(int side, bool tf32) {
  constexpr std::size_t kWorkspaceBytes = 64 << 20;
  const std::size_t bytes = std::size_t(side) * std::size_t(side) * sizeof(float);
  const DeviceMemory a = allocate_device(bytes), b = allocate_device(bytes), d = allocate_device(bytes),
                     scratch = allocate_device(kWorkspaceBytes);
  for (const DeviceMemory* matrix : {&a, &b})
    DPX_CHECK(cudaMemsetAsync(matrix->get(), 0, bytes, stream_.get()));
  const BlasHandle blas;
  const Matmul::Operands operands{static_cast<float*>(a.get()), static_cast<float*>(b.get()),
                                  static_cast<float*>(d.get())};
  const Matmul product(blas.get(), {side, side, side}, Epilogue::none, tf32, operands, kWorkspaceBytes);
  measure(tf32 ? "sgemm tf32" : "sgemm fp32", "TFLOPs", 2e-12 * double(side) * double(side) * double(side),
          [&] {
            product.run(stream_.get(), operands, {scratch.get(), kWorkspaceBytes});
          });
}

void Ceilings::graph_nodes(int count) {
  const DeviceMemory where = allocate_device(sizeof(StepArguments));
  cudaGraph_t captured = nullptr;
  DPX_CHECK(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < count; ++i)
    launch_set_arguments(stream_.get(), static_cast<StepArguments*>(where.get()), {});
  DPX_CHECK(cudaStreamEndCapture(stream_.get(), &captured));
  const GraphHandle graph(captured);
  cudaGraphExec_t made = nullptr;
  DPX_CHECK(cudaGraphInstantiate(&made, graph.get(), 0));
  const GraphExecHandle executable(made);
  measure("graph node", "nodes_per_s", count,
          [&] { DPX_CHECK(cudaGraphLaunch(executable.get(), stream_.get())); });
  DPX_CHECK(cudaStreamSynchronize(stream_.get()));
}

int run(const std::string& out, const Sizes& sizes) {
  std::string reason;
  const std::unique_ptr<Backend> backend(dpx_cuda_backend(&reason));
  if (!backend) throw Error(Exit::unavailable, reason);
  const Group group(backend->open({}));
  use_device(0);
  Record record("gpu_ceilings", {{"side", sizes.side}, {"bytes", sizes.bytes}, {"nodes", sizes.nodes}});
  record.set_devices(group.infos(), "cuda");
  for (const auto& [name, version] : backend->versions()) record.environment()["versions"][name] = version;
  Ceilings ceilings(record, *backend);
  ceilings.copies(sizes.bytes);
  for (const bool tf32 : {false, true}) ceilings.products(sizes.side, tf32);
  ceilings.graph_nodes(sizes.nodes);
  write_atomically(out, record.text(), true);
  return 0;
}

}  // namespace
}  // namespace dpx::cuda

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: gpu_ceilings OUT.json [SIDE [BYTES [NODES]]]\n"), 2;
  dpx::cuda::Sizes sizes;
  if (argc > 2) sizes.side = std::atoi(argv[2]);
  if (argc > 3) sizes.bytes = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4) sizes.nodes = std::atoi(argv[4]);
  try {
    return dpx::cuda::run(argv[1], sizes);
  } catch (const dpx::Error& error) {
    fmt::print(stderr, "gpu_ceilings: {}\n", error.what());
    return int(error.code());
  }
}
