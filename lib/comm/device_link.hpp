#pragma once
// DeviceLink: transfers as copies and adds on the receiving devices' streams, ordered by events.
#include <vector>

#include "lib/comm/link.hpp"
#include "lib/comm/reducer.hpp"

namespace dpx {

class DeviceLink final : public Link {
 public:
  /// `streams[r]` carries rank r's part; `slices[r]` is its buffer; `ready[r]` (may be null) is when it may
  /// be read.
  /// `carried` is where the elements handed to each link (src, dst) are added up.
  DeviceLink(std::vector<Stream*> streams, const std::vector<Slice>& slices, const std::vector<Event>& ready,
             LinkElements& carried);
  void transfer(const Transfer& transfer, Range elements) override;
  void end_step() override;
  /// Per rank, the point where its buffer holds the result and nobody reads it any more.
  std::vector<Event> finish();

 private:
  Stream& stream(int rank) { return *streams_[std::size_t(rank)]; }
  const std::vector<Stream*> streams_;
  const std::vector<Slice>& slices_;
  std::vector<Event> entered_;  ///< per rank: its transfers of earlier steps are complete
  std::vector<Transfer> this_step_;
  LinkElements& carried_;
};

/// The ranks' comm streams.
std::vector<Stream*> comm_streams(Group& group);

}  // namespace dpx
