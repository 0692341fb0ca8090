#include "lib/comm/mixed_reducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/core/error.hpp"

namespace dpx {
namespace {

class Fp32Accumulating final : public Reducer {
 public:
  Fp32Accumulating(std::unique_ptr<Reducer> reducer, Group& group)
      : group_(group), reducer_(std::move(reducer)) {}
  ~Fp32Accumulating() override { group_.drain(); }
  std::string name() const override { return reducer_->name(); }
  std::string transport() const override { return reducer_->transport(); }
  LinkElements elements_carried() const override { return reducer_->elements_carried(); }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;

 private:
  void provide_scratch(std::size_t count);
  Stream& stream(std::size_t rank) { return group_.device(int(rank)).comm(); }

  Group& group_;
  std::vector<Buffer> scratch_;  ///< before the reducer, which may still use it until it goes
  std::vector<Slice> wide_;      ///< the scratch buffers; element i is the buffers' element i
  std::unique_ptr<Reducer> reducer_;
};

void Fp32Accumulating::provide_scratch(std::size_t count) {
  if (!wide_.empty() && count <= wide_[0].count) return;
  group_.drain();  // earlier work may still use the scratch that goes
  wide_.clear();
  scratch_.clear();
  for (int rank = 0; rank < group_.size(); ++rank)
    scratch_.push_back(group_.device(rank).allocate(count * sizeof(float)));
  for (const Buffer& buffer : scratch_) wide_.push_back(buffer.slice(DType::f32));
}

// Each rank's comm stream orders the uses of its scratch: widened, summed, rounded back, widened again.
std::vector<Event> Fp32Accumulating::allreduce(const std::vector<Slice>& slices, Range elements,
                                               const std::vector<Event>& ready) {
  std::size_t longest = 0;
  for (const Slice& slice : slices) {
    if (slice.dtype != DType::bf16)
      throw Error(Exit::internal,
                  fmt::format("fp32 accumulation of {} buffers; it is for bf16", name_of(slice.dtype)));
    longest = std::max(longest, slice.count);
  }
  provide_scratch(longest);
  std::vector<Event> widened(slices.size());
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    stream(rank).wait(ready[rank]);
    stream(rank).convert(wide_[rank].sub(elements), slices[rank].sub(elements));
    widened[rank] = stream(rank).record();
  }
  std::vector<Event> done = reducer_->allreduce(wide_, elements, widened);
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    stream(rank).wait(done[rank]);
    stream(rank).convert(slices[rank].sub(elements), wide_[rank].sub(elements));
    done[rank] = stream(rank).record();
  }
  return done;
}

}  // namespace

std::unique_ptr<Reducer> make_fp32_accumulating(std::unique_ptr<Reducer> reducer, Group& group) {
  return std::make_unique<Fp32Accumulating>(std::move(reducer), group);
}

}  // namespace dpx
