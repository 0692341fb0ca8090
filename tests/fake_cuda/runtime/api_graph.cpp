// Stream capture and graphs.
#include <algorithm>
#include <cstdint>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/graph.hpp"

using namespace fake;

namespace {

using Graph = std::vector<Node>;

Graph& graph_of(cudaGraph_t handle) {
  require(handle != nullptr, cudaErrorInvalidValue);
  return *reinterpret_cast<Graph*>(handle);
}

std::shared_ptr<GraphExec>& exec_of(cudaGraphExec_t handle) {
  require(handle != nullptr, cudaErrorInvalidValue);
  return *reinterpret_cast<std::shared_ptr<GraphExec>*>(handle);
}

cudaGraphNodeType type_of(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::kernel:
      return cudaGraphNodeTypeKernel;
    case Operation::Kind::copy:
      return cudaGraphNodeTypeMemcpy;
    case Operation::Kind::set:
      return cudaGraphNodeTypeMemset;
    case Operation::Kind::host:
      return cudaGraphNodeTypeHost;
    case Operation::Kind::graph:
      return cudaGraphNodeTypeGraph;
    case Operation::Kind::mark:
      break;
  }
  return cudaGraphNodeTypeEventRecord;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&] {
    Stream& stream = stream_of(handle, "cudaStreamBeginCapture");
    require(!stream.capture, cudaErrorIllegalState);
    stream.capture = std::make_shared<Capture>();
    stream.capture->origin = &stream;
    stream.capture->strict = mode != cudaStreamCaptureModeRelaxed;
    stream.tail.clear();
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", [&] {
    const Stream& stream = stream_of(handle, "cudaStreamIsCapturing");
    *status = !stream.capture           ? cudaStreamCaptureStatusNone
              : stream.capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  return call("cudaStreamEndCapture", [&] {
    Stream& stream = stream_of(handle, "cudaStreamEndCapture");
    require(stream.capture && stream.capture->origin == &stream, cudaErrorStreamCaptureUnmatched);
    const std::shared_ptr<Capture> capture = stream.capture;
    const bool joined = capture->all_joined();
    for (Stream* other : capture->joined) other->capture = nullptr;
    stream.capture = nullptr;
    capture->ended = true;
    require(!capture->invalid, cudaErrorStreamCaptureInvalidated);
    require(joined, cudaErrorStreamCaptureUnjoined);
    *graph = reinterpret_cast<cudaGraph_t>(new Graph(std::move(capture->nodes)));
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", [&] {
    Graph& all = graph_of(graph);
    const std::size_t wanted = nodes ? std::min(*count, all.size()) : 0;
    for (std::size_t i = 0; i < wanted; ++i) nodes[i] = reinterpret_cast<cudaGraphNode_t>(&all[i]);
    *count = all.size();
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call("cudaGraphNodeGetType",
              [&] { *type = type_of(reinterpret_cast<const Node*>(node)->operation.kind); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call("cudaGraphEventRecordNodeGetEvent", [&] {
    const auto& records = reinterpret_cast<const Node*>(node)->operation.node_records;
    require(records != nullptr, cudaErrorInvalidValue);
    *event = handle_of(records);
  });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return call("cudaGraphExecEventRecordNodeSetEvent", [&] {
    const Node& old = *reinterpret_cast<const Node*>(node);
    const std::shared_ptr<Event>& next = event_of(event);
    require(old.operation.node_records && old.operation.node_records->device == next->device,
            cudaErrorInvalidValue);
    exec_of(exec)->set_event(old.index, next);
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return call("cudaGraphInstantiate", [&] {
    require(flags == 0, cudaErrorInvalidValue);
    auto made = std::make_shared<GraphExec>(graph_of(graph));
    *exec = reinterpret_cast<cudaGraphExec_t>(new std::shared_ptr<GraphExec>(std::move(made)));
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return call("cudaGraphExecUpdate", [&] {
    const bool fits = exec_of(exec)->update(graph_of(graph));
    if (result) {
      *result = {};
      result->result = fits ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    require(fits, cudaErrorGraphExecUpdateFailure);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphUpload", [&] {
    exec_of(exec);
    stream_of(stream, "cudaGraphUpload");
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return call("cudaGraphLaunch", [&] {
    Stream& stream = stream_of(handle, "cudaGraphLaunch");
    require_not_capturing(stream);
    Operation operation{.kind = Operation::Kind::graph, .name = "graph"};
    operation.device = stream.device;
    operation.launch = exec_of(exec);
    scheduler().issue(stream, std::move(operation));
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", [&] { delete &graph_of(graph); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", [&] {
    exec_of(exec)->let_go();
    delete &exec_of(exec);
  });
}

}  // extern "C"
