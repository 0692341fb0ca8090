#pragma once
// SimLink: carries out a schedule in simulated time.
#include <cstdint>
#include <string>
#include <vector>

#include "lib/comm/link.hpp"
#include "lib/comm/link_model.hpp"
#include "lib/comm/timeline.hpp"

namespace dpx {

/// One transfer with its place in simulated time; for drawing.
struct TimedTransfer {
  Transfer transfer;
  int step;
  std::int64_t bytes;
  double start_s, end_s;
};

/// Time a port was busy.
struct PortUse {
  std::string name;  ///< "rank 3 send", "node 0 NIC receive", "bus"
  double busy_s;
};

/// A transfer of n bytes occupies its ports for alpha + n/beta. It starts when both ranks have entered the
/// step (rule 1 of schedule.hpp) and its ports are free that long; in list order the transfers of a step
/// take the earliest such gap. Memory: O(1) per rank. Source: chapter, equation of the ring's cost; Hockney's
/// alpha-beta model.
class SimLink final : public Link {
 public:
  SimLink(int world_size, const LinkModel& model, std::int64_t bytes_per_element);
  void transfer(const Transfer& transfer, Range elements) override;
  void end_step() override;

  /// Units: seconds from the start until the last rank is done.
  double time_s() const;
  /// Per rank, when its last transfer is complete. Units: seconds.
  const std::vector<double>& finish_s() const { return entered_s_; }
  std::vector<PortUse> ports() const;
  /// From here on appends every transfer to `log`, which must outlive the link.
  void keep_transfers(std::vector<TimedTransfer>* log) { log_ = log; }

 private:
  struct Port {
    Timeline timeline;
    double busy_s = 0;
    int step = 0;         ///< of the timeline's entries, where one rank alone uses the port
    bool shared = false;  ///< by several ranks, which enter a step at different times
  };
  struct Ends {
    int send, receive;  ///< indices of ports; equal unless the links are full-duplex
  };
  struct Seat {
    int node;
    Ends inside, outside;
  };
  Ends add_ports(const std::string& owner, bool shared);
  Port& fresh(int index);

  LinkModel model_;
  std::int64_t bytes_per_element_;
  int step_ = 0;
  std::vector<Port> ports_;
  std::vector<std::string> port_names_;
  std::vector<Seat> seats_;                   ///< per rank
  std::vector<double> entered_s_, leaves_s_;  ///< per rank: this step's begin and, so far, its end
  std::vector<TimedTransfer>* log_ = nullptr;
};

}  // namespace dpx
