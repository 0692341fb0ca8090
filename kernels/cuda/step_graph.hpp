#pragma once
// StepGraph: work that is enqueued once as it is, captured the second time, and replayed from then on.
#include <cstddef>
#include <functional>

#include "kernels/cuda/handles.hpp"

namespace dpx::cuda {

class StepGraph {
 public:
  /// Runs what `enqueue` puts on `stream` of the current device. The first time without a graph, so that the
  /// libraries can load their kernels, which a capture does not allow. Returns the number of nodes when the
  /// graph was made by this call, else 0.
  std::size_t run(cudaStream_t stream, const std::function<void()>& enqueue);

 private:
  std::size_t capture(cudaStream_t stream, const std::function<void()>& enqueue);
  bool warm_ = false;
  GraphExecHandle graph_;
};

}  // namespace dpx::cuda
