// Streams, events, host functions.
#include <algorithm>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/graph.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

using namespace fake;

namespace {

std::vector<std::unique_ptr<std::shared_ptr<Event>>>& events() {
  static auto* all = new std::vector<std::unique_ptr<std::shared_ptr<Event>>>;
  return *all;
}

/// The capturing stream's next node comes after what `event` stands for; a stream that does not capture joins
/// in.
void wait_in_capture(Stream& stream, const Event& event) {
  require(event.capture != nullptr, cudaErrorStreamCaptureIsolation);
  require(!event.capture->ended, cudaErrorInvalidValue);
  require(!stream.capture || stream.capture == event.capture, cudaErrorStreamCaptureMerge);
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.tail.clear();
    event.capture->joined.insert(&stream);
  }
  for (const int node : event.nodes)
    if (std::find(stream.tail.begin(), stream.tail.end(), node) == stream.tail.end())
      stream.tail.push_back(node);
}

void record(Event& event, const std::shared_ptr<Event>& shared, Stream& stream, unsigned flags) {
  require(event.device == stream.device, cudaErrorInvalidResourceHandle);
  Operation operation{.kind = Operation::Kind::mark, .name = "event record"};
  operation.device = stream.device;
  if (stream.capture && flags == cudaEventRecordExternal) {
    operation.node_records = shared;
    stream.capture->add(stream, std::move(operation));
  } else if (stream.capture) {
    event.capture = stream.capture;
    event.nodes = stream.tail;
  } else {
    event.capture = nullptr;
    event.last = std::make_shared<Point>(Point{.stream = stream.id});
    operation.records = event.last;
    scheduler().issue(stream, std::move(operation));
  }
}

}  // namespace

std::shared_ptr<Event>& fake::event_of(cudaEvent_t handle) {
  auto* event = reinterpret_cast<std::shared_ptr<Event>*>(handle);
  const bool known =
      std::any_of(events().begin(), events().end(), [&](const auto& entry) { return entry.get() == event; });
  require(known, cudaErrorInvalidResourceHandle);
  return *event;
}

cudaEvent_t fake::handle_of(const std::shared_ptr<Event>& event) {
  const auto found =
      std::find_if(events().begin(), events().end(), [&](const auto& entry) { return *entry == event; });
  require(found != events().end(), cudaErrorInvalidResourceHandle);
  return reinterpret_cast<cudaEvent_t>(found->get());
}

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return call("cudaStreamCreateWithPriority", [&] {
    require((flags & ~unsigned(cudaStreamNonBlocking)) == 0, cudaErrorInvalidValue);
    *stream = reinterpret_cast<cudaStream_t>(scheduler().create_stream(current_device()));
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy",
              [&] { scheduler().destroy_stream(&stream_of(stream, "cudaStreamDestroy")); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", [&] {
    Stream& stream = stream_of(handle, "cudaStreamSynchronize");
    require_not_capturing(stream);
    scheduler().synchronize(stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call("cudaStreamQuery", [&] {
    Stream& stream = stream_of(handle, "cudaStreamQuery");
    require_not_capturing(stream);
    scheduler().progress(stream);
    require(stream.queue.empty(), cudaErrorNotReady);
    scheduler().host.join(stream.clock);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return call("cudaStreamWaitEvent", [&] {
    require(flags == 0, cudaErrorInvalidValue);
    Stream& stream = stream_of(handle, "cudaStreamWaitEvent");
    const Event& event = *event_of(event_handle);
    if (injected_failure("drop_wait")) return;  // the planted fault: what then races must be reported
    if (stream.capture || event.capture) {
      wait_in_capture(stream, event);
    } else if (event.last) {
      Operation operation{.kind = Operation::Kind::mark, .name = "wait for an event"};
      operation.device = stream.device;
      operation.waits = {event.last};
      scheduler().issue(stream, std::move(operation));
    }
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  return call("cudaLaunchHostFunc", [&] {
    Stream& stream = stream_of(handle, "cudaLaunchHostFunc");
    Operation operation{.kind = Operation::Kind::host, .name = "host function"};
    operation.device = stream.device;
    operation.body = [=] { function(argument); };
    scheduler().issue(stream, std::move(operation));
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", [&] {
    auto state = std::make_shared<Event>();
    state->device = current_device();
    state->timing = !(flags & cudaEventDisableTiming);
    events().push_back(std::make_unique<std::shared_ptr<Event>>(std::move(state)));
    *event = reinterpret_cast<cudaEvent_t>(events().back().get());
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", [&] {
    const auto* known = &event_of(event);
    std::erase_if(events(), [&](const auto& entry) { return entry.get() == known; });
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return call("cudaEventRecord", [&] {
    auto& state = event_of(event);
    record(*state, state, stream_of(stream, "cudaEventRecord"), flags);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call("cudaEventSynchronize", [&] {
    const Event& event = *event_of(handle);
    require(!event.capture, cudaErrorCapturedEvent);
    if (event.last) scheduler().synchronize_point(*event.last);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call("cudaEventQuery", [&] {
    const Event& event = *event_of(handle);
    require(!event.capture, cudaErrorCapturedEvent);
    if (!event.last) return;
    if (!event.last->reached)
      scheduler().progress(*scheduler().streams()[static_cast<std::size_t>(event.last->stream)]);
    require(event.last->reached, cudaErrorNotReady);
    scheduler().host.join(event.last->clock);
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t first, cudaEvent_t second) {
  return call("cudaEventElapsedTime", [&] {
    const Event &from = *event_of(first), &to = *event_of(second);
    require(from.timing && to.timing && from.last && to.last && from.device == to.device,
            cudaErrorInvalidResourceHandle);
    require(from.last->reached && to.last->reached, cudaErrorNotReady);
    *ms = static_cast<float>((to.last->time_s - from.last->time_s) * 1e3);
  });
}

}  // extern "C"
