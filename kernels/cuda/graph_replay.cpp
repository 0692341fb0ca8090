#include "kernels/cuda/graph_replay.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <map>

#include "kernels/cuda/cuda_device.hpp"
#include "kernels/cuda/nvtx_range.hpp"

namespace dpx::cuda {
namespace {

struct Recording {
  bool warm = false;  ///< was enqueued once: libraries have loaded what a capture does not let them load
  std::vector<Event> marks;  ///< what `enqueue` returned when it was captured
  GraphHandle graph;         ///< its nodes name those of the executable
  GraphExecHandle executable;
  std::vector<cudaGraphNode_t> mark_nodes;  ///< of `marks`, which each launch gives other events
};

class GraphReplay final : public Replay {
 public:
  explicit GraphReplay(const std::vector<Device*>& devices);
  ~GraphReplay() override;
  std::vector<Event> run(const Key& key, const std::function<void()>& rebind,
                         const std::function<std::vector<Event>()>& enqueue) override;
  std::size_t nodes() const override { return nodes_; }

 private:
  CudaDevice& first() { return *devices_.front(); }
  cudaStream_t origin() { return dynamic_cast<CudaStream&>(first().compute()).handle(); }
  /// All other compute streams go on from where the first one is, or the first one from where all are.
  void fork();
  void join();
  void record(Recording& recording, const std::function<std::vector<Event>()>& enqueue);
  void find_marks(Recording& recording);
  std::vector<Event> launch(Recording& recording);

  std::vector<CudaDevice*> devices_;
  std::map<Key, Recording> recordings_;
  std::size_t nodes_ = 0;
};

GraphReplay::GraphReplay(const std::vector<Device*>& devices) {
  for (Device* device : devices) devices_.push_back(&dynamic_cast<CudaDevice&>(*device));
  first().state().watchdog().release_before_abort(this, [this] { recordings_.clear(); });
}

GraphReplay::~GraphReplay() {
  try {
    first().compute().synchronize();
  } catch (const std::exception& error) {
    spdlog::debug("{}", error.what());  // reported by whoever synchronised to use a result
  }
  first().state().watchdog().forget(this);
}

void GraphReplay::fork() {
  const Event start = first().compute().record();
  for (std::size_t i = 1; i < devices_.size(); ++i) devices_[i]->compute().wait(start);
}

void GraphReplay::join() {
  for (std::size_t i = 1; i < devices_.size(); ++i) first().compute().wait(devices_[i]->compute().record());
}

std::vector<Event> GraphReplay::run(const Key& key, const std::function<void()>& rebind,
                                    const std::function<std::vector<Event>()>& enqueue) {
  Recording& recording = recordings_[key];
  if (!recording.warm) {
    std::vector<Event> marks = enqueue();
    recording.warm = true;
    return marks;
  }
  if (!recording.executable) record(recording, enqueue);
  rebind();
  return launch(recording);
}

void GraphReplay::record(Recording& recording, const std::function<std::vector<Event>()>& enqueue) {
  const NvtxRange range("capture");
  first().fabric().forget_chunks();
  use_device(first().ordinal());
  DPX_CHECK(cudaStreamBeginCapture(origin(), cudaStreamCaptureModeThreadLocal));
  cudaGraph_t captured = nullptr;
  try {
    fork();
    recording.marks = enqueue();
    join();
  } catch (...) {
    DPX_CHECK_QUIET(cudaStreamEndCapture(origin(), &captured));
    const GraphHandle unusable(captured);
    throw;
  }
  use_device(first().ordinal());
  DPX_CHECK(cudaStreamEndCapture(origin(), &captured));
  recording.graph = GraphHandle(captured);
  first().fabric().forget_chunks();
  find_marks(recording);
  cudaGraphExec_t executable = nullptr;
  DPX_CHECK(cudaGraphInstantiate(&executable, captured, 0));
  recording.executable = GraphExecHandle(executable);
}

void GraphReplay::find_marks(Recording& recording) {
  std::size_t count = 0;
  DPX_CHECK(cudaGraphGetNodes(recording.graph.get(), nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  DPX_CHECK(cudaGraphGetNodes(recording.graph.get(), nodes.data(), &count));
  std::map<cudaEvent_t, cudaGraphNode_t> recorded;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    DPX_CHECK(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeEventRecord) continue;
    cudaEvent_t event = nullptr;
    DPX_CHECK(cudaGraphEventRecordNodeGetEvent(node, &event));
    recorded[event] = node;
  }
  for (const Event& mark : recording.marks)
    recording.mark_nodes.push_back(recorded.at(dynamic_cast<const CudaEvent&>(*mark).handle()));
  nodes_ = std::max(nodes_, count);
  spdlog::info("cuda:{}: the step on {} GPU(s) is a graph of {} nodes", first().ordinal(), devices_.size(),
               count);
}

std::vector<Event> GraphReplay::launch(Recording& recording) {
  const NvtxRange range("launch step");
  join();
  std::vector<Event> marks;
  for (std::size_t i = 0; i < recording.marks.size(); ++i) {
    const auto& captured = dynamic_cast<const CudaEvent&>(*recording.marks[i]);
    auto event = std::make_shared<CudaEvent>(captured.device());
    DPX_CHECK(cudaGraphExecEventRecordNodeSetEvent(recording.executable.get(), recording.mark_nodes[i],
                                                   event->handle()));
    marks.push_back(std::move(event));
  }
  use_device(first().ordinal());
  DPX_CHECK(cudaGraphLaunch(recording.executable.get(), origin()));
  fork();
  return marks;
}

}  // namespace

std::unique_ptr<Replay> make_graph_replay(const std::vector<Device*>& devices) {
  auto& device = dynamic_cast<CudaDevice&>(*devices.front());
  if (!device.options().graph) return std::make_unique<Replay>();
  if (const std::string reason = device.fabric().why_no_graph(); !reason.empty() && devices.size() > 1) {
    spdlog::info("steps are enqueued without a graph: {}", reason);
    return std::make_unique<Replay>();
  }
  return std::make_unique<GraphReplay>(devices);
}

}  // namespace dpx::cuda
