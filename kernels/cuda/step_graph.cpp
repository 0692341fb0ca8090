#include "kernels/cuda/step_graph.hpp"

namespace dpx::cuda {

std::size_t StepGraph::run(cudaStream_t stream, const std::function<void()>& enqueue) {
  if (!warm_) {
    enqueue();
    warm_ = true;
    return 0;
  }
  const std::size_t nodes = graph_ ? 0 : capture(stream, enqueue);
  DPX_CHECK(cudaGraphLaunch(graph_.get(), stream));
  return nodes;
}

std::size_t StepGraph::capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaGraph_t captured = nullptr;
  DPX_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    enqueue();
  } catch (...) {
    DPX_CHECK_QUIET(cudaStreamEndCapture(stream, &captured));
    const GraphHandle unusable(captured);
    throw;
  }
  DPX_CHECK(cudaStreamEndCapture(stream, &captured));
  const GraphHandle graph(captured);
  std::size_t nodes = 0;
  DPX_CHECK(cudaGraphGetNodes(graph.get(), nullptr, &nodes));
  cudaGraphExec_t executable = nullptr;
  DPX_CHECK(cudaGraphInstantiate(&executable, graph.get(), 0));
  graph_ = GraphExecHandle(executable);
  return nodes;
}

}  // namespace dpx::cuda
