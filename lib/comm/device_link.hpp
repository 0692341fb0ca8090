#pragma once
// DeviceLink: transfers as copies and adds on the receiving devices' comm streams, ordered by events.
#include <vector>

#include "lib/comm/link.hpp"
#include "lib/comm/reducer.hpp"

namespace dpx {

class DeviceLink final : public Link {
 public:
  /// `slices[r]` is rank r's buffer; `ready[r]` (may be null) is when it may be read.
  /// `carried` is where the elements handed to each link (src, dst) are added up.
  DeviceLink(Group& group, const std::vector<Slice>& slices, const std::vector<Event>& ready,
             LinkElements& carried);
  void transfer(const Transfer& transfer, Range elements) override;
  void end_step() override;
  /// Per rank, the point where its buffer holds the result and nobody reads it any more.
  std::vector<Event> finish();

 private:
  Stream& stream(int rank) { return group_.device(rank).comm(); }
  Group& group_;
  const std::vector<Slice>& slices_;
  std::vector<Event> entered_;  ///< per rank: its transfers of earlier steps are complete
  std::vector<Transfer> this_step_;
  LinkElements& carried_;
};

}  // namespace dpx
