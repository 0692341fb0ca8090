#include "kernels/cuda/cuda_stream.hpp"

#include <fmt/format.h>

#include "kernels/cuda/launch.hpp"
#include "lib/core/error.hpp"

namespace dpx::cuda {
namespace {

void require(bool right, const char* what, Slice dst, Slice src) {
  if (!right)
    throw Error(Exit::internal, fmt::format("cuda stream {}: {} {} elements from {} {}", what, dst.count,
                                            dpx::name_of(dst.dtype), src.count, dpx::name_of(src.dtype)));
}
bool alike(Slice dst, Slice src) {
  return dst.count == src.count && dst.dtype == src.dtype;
}

StreamHandle make_stream_on(int device, Priority priority) {
  use_device(device);
  return make_stream(priority);
}

}  // namespace

CudaStream::CudaStream(std::shared_ptr<DeviceState> device, std::shared_ptr<Fabric> fabric, Priority priority)
    : device_(std::move(device)),
      fabric_(std::move(fabric)),
      stream_(make_stream_on(device_->ordinal(), priority)) {
  device_->renew_base(stream_.get());
}

Lane* CudaStream::lane_for(const void* dst, const void* src) {
  const int from = fabric_->owner(src), to = fabric_->owner(dst);
  return from < 0 || to < 0 || from == to ? nullptr : fabric_->lane(from, to);
}

void CudaStream::copy(Slice dst, Slice src) {
  require(alike(dst, src), "copy", dst, src);
  if (dst.bytes() == 0) return;
  if (Lane* lane = lane_for(dst.data, src.data))
    return lane->copy(stream_.get(), dst.data, src.data, dst.bytes());
  use_device(ordinal());
  DPX_CHECK(cudaMemcpyAsync(dst.data, src.data, dst.bytes(), cudaMemcpyDefault, stream_.get()));
}

void CudaStream::add(Slice dst, Slice src) {
  require(alike(dst, src) && (dst.dtype == DType::f32 || dst.dtype == DType::bf16), "add", dst, src);
  if (dst.bytes() == 0) return;
  if (Lane* lane = lane_for(dst.data, src.data)) return lane->add(stream_.get(), dst, src);
  use_device(ordinal());
  launch_add(stream_.get(), dst, src);
}

void CudaStream::convert(Slice dst, Slice src) {
  const bool rounds = dst.dtype == DType::bf16 && src.dtype == DType::f32;
  const bool widens = dst.dtype == DType::f32 && src.dtype == DType::bf16;
  require(dst.count == src.count && (rounds || widens), "convert", dst, src);
  use_device(ordinal());
  launch_convert(stream_.get(), dst, src);
}

void CudaStream::axpy(Slice dst, float a, Slice src) {
  require(alike(dst, src) && dst.dtype == DType::f32, "axpy", dst, src);
  use_device(ordinal());
  launch_axpy(stream_.get(), dst.as<float>(), a, src.as<const float>(), dst.count);
}

void CudaStream::scale(Slice dst, float a) {
  require(dst.dtype == DType::f32, "scale", dst, dst);
  use_device(ordinal());
  launch_scale(stream_.get(), dst.as<float>(), a, dst.count);
}

Event CudaStream::record_point(bool is_mark) {
  use_device(ordinal());
  auto event = std::make_shared<CudaEvent>(device_);
  event->record(stream_.get(), is_mark);
  return event;
}

void CudaStream::wait(const Event& event) {
  if (!event) return;
  const auto other = std::dynamic_pointer_cast<CudaEvent>(event);
  if (!other) throw Error(Exit::internal, "a CUDA stream can only wait for events of CUDA devices");
  use_device(ordinal());
  DPX_CHECK(cudaStreamWaitEvent(stream_.get(), other->handle(), 0));
}

void CudaStream::synchronize() {
  record()->synchronize();
  device_->renew_base(stream_.get());
}

}  // namespace dpx::cuda
