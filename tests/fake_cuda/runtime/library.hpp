#pragma once
// What functions of cuDNN, cuBLASLt and NCCL are made of: work of theirs is a kernel with known accesses.
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cuda/runtime/api.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {

/// Thrown inside a library's function, which then returns the status.
template <class Status>
struct Failed {
  Status status;
};

template <class Status>
void require_else(bool holds, Status otherwise) {
  if (!holds) throw Failed<Status>{otherwise};
}

/// Carries out the body of `function`; `cuda_failed` is what the library makes of an error of the runtime
/// library.
template <class Status, class Body>
Status library_call(const char* function, Status success, Status cuda_failed, Body body) {
  const Session session;
  if (const int code = injected_failure(function)) return static_cast<Status>(code);
  if (scheduler().sticky || settings().gpus.empty()) return cuda_failed;
  try {
    body();
    return scheduler().sticky ? cuda_failed : success;
  } catch (const Failed<Status>& failed) {
    return failed.status;
  } catch (const Refused&) {
    return cuda_failed;
  }
}

/// A kernel of a library on `stream`. `seconds` is virtual.
inline Operation library_kernel(std::string name, const Stream& stream, std::vector<Touched> touched,
                                double seconds, std::function<void()> body) {
  Operation operation{.kind = Operation::Kind::kernel, .name = std::move(name)};
  operation.device = stream.device;
  operation.engine = Engine::compute;
  operation.cost_s = seconds;
  operation.touched = std::move(touched);
  operation.body = std::move(body);
  return operation;
}

}  // namespace fake
