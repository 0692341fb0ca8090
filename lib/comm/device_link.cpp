#include "lib/comm/device_link.hpp"

#include <utility>

namespace dpx {

DeviceLink::DeviceLink(std::vector<Stream*> streams, const std::vector<Slice>& slices,
                       const std::vector<Event>& ready, LinkElements& carried)
    : streams_(std::move(streams)), slices_(slices), entered_(ready), carried_(carried) {
  for (int rank = 0; rank < int(streams_.size()); ++rank) stream(rank).wait(ready[std::size_t(rank)]);
}

void DeviceLink::transfer(const Transfer& t, Range elements) {
  stream(t.dst).wait(entered_[std::size_t(t.src)]);  // the stream's own order covers the receiver's side
  const Slice dst = slices_[std::size_t(t.dst)].sub(elements),
              src = slices_[std::size_t(t.src)].sub(elements);
  if (t.op == Op::copy)
    stream(t.dst).copy(dst, src);
  else
    stream(t.dst).add(dst, src);
  this_step_.push_back(t);
  carried_[{t.src, t.dst}] += std::int64_t(elements.count);
}

void DeviceLink::end_step() {
  // A receiver is done when its stream gets here; a sender must also let its receivers finish reading.
  std::vector<Event> received(slices_.size());
  for (const Transfer& t : this_step_)
    if (Event& event = received[std::size_t(t.dst)]; !event) event = stream(t.dst).record();
  for (const Transfer& t : this_step_) stream(t.src).wait(received[std::size_t(t.dst)]);
  for (const Transfer& t : this_step_)
    for (int rank : {t.src, t.dst}) entered_[std::size_t(rank)] = nullptr;
  for (const Transfer& t : this_step_)
    for (int rank : {t.src, t.dst})
      if (Event& event = entered_[std::size_t(rank)]; !event) event = stream(rank).record();
  this_step_.clear();
}

std::vector<Event> DeviceLink::finish() {
  std::vector<Event> done;
  for (int rank = 0; rank < int(streams_.size()); ++rank) done.push_back(stream(rank).record());
  return done;
}

std::vector<Stream*> comm_streams(Group& group) {
  std::vector<Stream*> streams;
  for (int rank = 0; rank < group.size(); ++rank) streams.push_back(&group.device(rank).comm());
  return streams;
}

}  // namespace dpx
