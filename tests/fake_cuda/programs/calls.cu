// Calls of the runtime library that must be refused, or whose failures are asked for by the environment.
#include "tests/fake_cuda/programs/program.hpp"
//
#include "tests/fake_cuda/programs/kernels.cuh"

using namespace fake_programs;

namespace {

/// Prints what a call returned; 0 when that is what was wanted.
int expect(cudaError_t error, cudaError_t wanted) {
  std::printf("%s, wanted %s\n", cudaGetErrorName(error), cudaGetErrorName(wanted));
  return error == wanted ? 0 : 1;
}

int capture_errors() {
  const cudaStream_t a = make_stream(0), b = make_stream(0);
  const cudaEvent_t event = make_event(0);
  float* x = make_floats(0, 10);
  cudaGraph_t graph;
  int failed = 0;
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  failed += expect(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported);
  failed += expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(event, a));
  CHECK(cudaStreamWaitEvent(b, event, 0));
  fill<<<1, 32, 0, b>>>(10, x, 1);
  failed += expect(cudaEventQuery(event), cudaErrorCapturedEvent);
  failed += expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
  CHECK(cudaEventRecord(event, b));
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  failed += expect(cudaStreamWaitEvent(a, event, 0), cudaErrorStreamCaptureIsolation);
  cudaStreamEndCapture(a, &graph);
  cudaGetLastError();
  return failed;
}

int wrong_calls() {
  const cudaStream_t on1 = make_stream(1);
  const cudaEvent_t of1 = make_event(1);
  float* x = make_floats(0, 10);
  int failed = expect(cudaSetDevice(99), cudaErrorInvalidDevice);
  fill<<<1, 32, 0, on1>>>(10, x, 1);
  failed += expect(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  failed += expect(cudaEventRecord(of1, make_stream(0)), cudaErrorInvalidResourceHandle);
  fill<<<1, 2048, 0, make_stream(0)>>>(10, x, 1);
  failed += expect(cudaGetLastError(), cudaErrorInvalidConfiguration);
  failed += expect(cudaMemcpyAsync(x, x + 5, 40, cudaMemcpyDefault, on1), cudaErrorInvalidValue);
  float host[10];
  failed += expect(cudaMemcpyAsync(host, x, 40, cudaMemcpyHostToDevice, on1), cudaErrorInvalidValue);
  failed += expect(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  failed += expect(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  return failed;
}

/// Virtual time: 25e6 bytes at 25 GB/s and 5 us.
int elapsed() {
  constexpr int kCount = 6250000;
  float *x = make_floats(0, kCount), *home = make_pinned(kCount);
  const cudaStream_t stream = make_stream(0);
  const cudaEvent_t begin = make_event(0, cudaEventDefault), end = make_event(0, cudaEventDefault);
  CHECK(cudaMemsetAsync(x, 0, kCount * sizeof(float), stream));
  CHECK(cudaEventRecord(begin, stream));
  CHECK(cudaMemcpyAsync(home, x, kCount * sizeof(float), cudaMemcpyDefault, stream));
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  return verdict(ms, 1.005f);
}

/// An event node of a graph records another event at every launch.
int graph_events() {
  float* x = make_floats(0, 10);
  const cudaStream_t stream = make_stream(0);
  const cudaEvent_t captured = make_event(0, cudaEventDefault);
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  fill<<<1, 32, 0, stream>>>(10, x, 1);
  CHECK(cudaEventRecordWithFlags(captured, stream, cudaEventRecordExternal));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[2];
  std::size_t count = 2;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  cudaEvent_t found = nullptr, launched[2];
  int failed = expect(cudaGraphEventRecordNodeGetEvent(nodes[0], &found), cudaErrorInvalidValue);
  CHECK(cudaGraphEventRecordNodeGetEvent(nodes[1], &found));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (cudaEvent_t& event : launched) {
    event = make_event(0, cudaEventDefault);
    CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, nodes[1], event));
    CHECK(cudaGraphLaunch(exec, stream));
  }
  CHECK(cudaEventSynchronize(launched[1]));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, launched[0], launched[1]));
  std::printf("%g ms from launch to launch\n", ms);
  failed += expect(cudaEventElapsedTime(&ms, captured, launched[1]), cudaErrorInvalidResourceHandle);
  return found == captured ? failed : 1;
}

/// A host that polls must come to an end.
int poll() {
  float* x = make_floats(0, 10);
  const cudaStream_t stream = make_stream(0);
  const cudaEvent_t event = make_event(0);
  fill<<<1, 32, 0, stream>>>(10, x, 1);
  CHECK(cudaEventRecord(event, stream));
  int polls = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++polls;
  while (cudaStreamQuery(stream) == cudaErrorNotReady) ++polls;
  return polls < 100 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options{argc, argv};
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  std::printf("%d devices, %s\n", devices, cudaGetErrorName(counted));
  if (options.has("--count")) return counted == cudaSuccess ? 0 : 3;
  if (options.has("--capture-errors")) return capture_errors();
  if (options.has("--wrong-calls")) return wrong_calls();
  if (options.has("--elapsed")) return elapsed();
  if (options.has("--poll")) return poll();
  if (options.has("--graph-events")) return graph_events();
  float* x = make_floats(0, 10);
  const cudaStream_t stream = make_stream(0);
  if (options.has("--unfaked")) CHECK(cudaMallocManaged(&x, 40));
  if (options.has("--default-stream")) CHECK(cudaMemcpyAsync(x, x + 5, 20, cudaMemcpyDefault, nullptr));
  if (options.has("--no-twin")) only_on_gpus<<<1, 1, 0, stream>>>(x);
  fill<<<1, 32, 0, stream>>>(10, x, 1);
  CHECK(cudaStreamSynchronize(stream));
  return 0;
}
