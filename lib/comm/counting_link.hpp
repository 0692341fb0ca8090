#pragma once
// CountingLink: what each rank sends and receives, in O(1) memory per rank. FanOut: one walk feeds several
// links.
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/comm/link.hpp"

namespace dpx {

/// Messages and elements of one rank.
struct RankTraffic {
  std::int64_t messages_sent = 0, messages_received = 0, elements_sent = 0, elements_received = 0;
};

class CountingLink final : public Link {
 public:
  explicit CountingLink(int world_size) : ranks_(std::size_t(world_size)) {}
  void transfer(const Transfer& t, Range elements) override {
    RankTraffic &src = ranks_[std::size_t(t.src)], &dst = ranks_[std::size_t(t.dst)];
    ++src.messages_sent;
    ++dst.messages_received;
    src.elements_sent += std::int64_t(elements.count);
    dst.elements_received += std::int64_t(elements.count);
  }
  void end_step() override {}
  const std::vector<RankTraffic>& ranks() const { return ranks_; }

 private:
  std::vector<RankTraffic> ranks_;
};

/// Hands everything to each of its links in turn.
class FanOut final : public Link {
 public:
  explicit FanOut(std::vector<Link*> links) : links_(std::move(links)) {}
  void transfer(const Transfer& t, Range elements) override {
    for (Link* link : links_) link->transfer(t, elements);
  }
  void end_step() override {
    for (Link* link : links_) link->end_step();
  }

 private:
  std::vector<Link*> links_;
};

}  // namespace dpx
