#include "kernels/cuda/piped_reducer.hpp"

#include <algorithm>
#include <array>

#include "kernels/cuda/cuda_device.hpp"
#include "kernels/cuda/nvtx_range.hpp"
#include "lib/comm/device_link.hpp"

namespace dpx::cuda {
namespace {

// Per rank and piece: what a link needs to hide its latency. Source: c* = sqrt(N alpha beta) at 25 GB/s and
// some microseconds.
constexpr std::size_t kPieceBytes = 4 << 20;
// While one piece goes to a rank and one comes back, a third is under way where staging takes two hops: else
// a link rests for a hop at the end of every piece.
constexpr std::size_t kChannels = 3;

class PipedReducer final : public Reducer {
 public:
  PipedReducer(std::unique_ptr<Schedule> schedule, Group& group)
      : schedule_(std::move(schedule)), group_(group), fabric_(device(0).shared_fabric()) {
    channels_[0] = comm_streams(group);
    for (std::size_t channel = 1; channel < kChannels; ++channel)
      for (int rank = 0; rank < group.size(); ++rank) {
        others_.push_back(std::make_unique<CudaStream>(device(rank).shared_state(), fabric_, Priority::high));
        channels_[channel].push_back(others_.back().get());
      }
  }
  ~PipedReducer() override { group_.drain(); }
  std::string name() const override { return schedule_->name(); }
  std::string transport() const override { return fabric_->transport(); }
  LinkElements elements_carried() const override { return carried_; }
  std::vector<Event> allreduce(const std::vector<Slice>& slices, Range elements,
                               const std::vector<Event>& ready) override;

 private:
  CudaDevice& device(int rank) { return dynamic_cast<CudaDevice&>(group_.device(rank)); }
  using Ends = std::array<std::vector<Event>, kChannels>;  ///< events by rank
  /// A piece on each channel, step by step in turn: a link's queue takes every piece's first step before a
  /// second one, which has to wait for its own piece.
  void run(const std::vector<Slice>& slices, const std::vector<Range>& pieces,
           const std::vector<Event>& ready, Ends& ends);

  std::unique_ptr<Schedule> schedule_;
  Group& group_;
  std::shared_ptr<Fabric> fabric_;
  std::vector<std::unique_ptr<CudaStream>> others_;       ///< of the channels beside the first
  std::array<std::vector<Stream*>, kChannels> channels_;  ///< streams by rank; the comm streams are the first
  LinkElements carried_;
};

void PipedReducer::run(const std::vector<Slice>& slices, const std::vector<Range>& pieces,
                       const std::vector<Event>& ready, Ends& ends) {
  std::vector<DeviceLink> links;
  links.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) links.emplace_back(channels_[i], slices, ready, carried_);
  for (int step = 0; step < schedule_->num_steps(); ++step)
    for (std::size_t i = 0; i < pieces.size(); ++i) walk_step(*schedule_, step, pieces[i], links[i]);
  for (std::size_t i = 0; i < pieces.size(); ++i) ends[i] = links[i].finish();
}

std::vector<Event> PipedReducer::allreduce(const std::vector<Slice>& slices, Range elements,
                                           const std::vector<Event>& ready) {
  const NvtxRange range("allreduce");
  const std::vector<Stream*>& comm = channels_[0];
  constexpr std::size_t kAlignment = 1024;  // elements: pieces keep the alignment of the buffer
  const std::size_t wanted = kPieceBytes * slices.size() / size_of(slices[0].dtype);
  const std::size_t piece = (wanted + kAlignment - 1) / kAlignment * kAlignment;
  Ends ends;
  if (elements.count <= piece) {
    run(slices, {elements}, ready, ends);
    return ends[0];
  }
  std::vector<Event> begin;
  for (std::size_t rank = 0; rank < comm.size(); ++rank) {
    comm[rank]->wait(ready[rank]);
    begin.push_back(comm[rank]->record());
  }
  for (std::size_t first = 0; first < elements.count;) {
    std::vector<Range> pieces;
    for (; pieces.size() < kChannels && first < elements.count; first += piece)
      pieces.push_back({elements.first + first, std::min(piece, elements.count - first)});
    run(slices, pieces, begin, ends);
  }
  std::vector<Event> done;
  for (std::size_t rank = 0; rank < comm.size(); ++rank) {
    for (std::size_t channel = 1; channel < kChannels; ++channel)
      if (!ends[channel].empty()) comm[rank]->wait(ends[channel][rank]);
    done.push_back(comm[rank]->record());
  }
  return done;
}

}  // namespace

std::unique_ptr<Reducer> make_piped_reducer(std::unique_ptr<Schedule> schedule, Group& group) {
  return std::make_unique<PipedReducer>(std::move(schedule), group);
}

}  // namespace dpx::cuda
