#pragma once
// CUDA streams: copies and kernels of one GPU, lanes where memory of another one takes part.
#include <memory>

#include "kernels/cuda/fabric.hpp"

namespace dpx::cuda {

class CudaStream final : public Stream {
 public:
  CudaStream(std::shared_ptr<DeviceState> device, std::shared_ptr<Fabric> fabric, Priority priority);
  void copy(Slice dst, Slice src) override;
  void add(Slice dst, Slice src) override;
  void convert(Slice dst, Slice src) override;
  void axpy(Slice dst, float a, Slice src) override;
  void scale(Slice dst, float a) override;
  Event record() override { return record_point(false); }
  Event mark() override { return record_point(true); }
  void wait(const Event& event) override;
  void synchronize() override;
  cudaStream_t handle() const { return stream_.get(); }
  int ordinal() const { return device_->ordinal(); }

 private:
  Event record_point(bool is_mark);
  /// The lane that brings `src` here; null where this GPU reaches it itself.
  Lane* lane_for(const void* dst, const void* src);
  std::shared_ptr<DeviceState> device_;
  std::shared_ptr<Fabric> fabric_;
  StreamHandle stream_;
};

}  // namespace dpx::cuda
