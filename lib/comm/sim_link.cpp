#include "lib/comm/sim_link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpx {

SimLink::SimLink(int world_size, const LinkModel& model, std::int64_t bytes_per_element)
    : model_(model),
      bytes_per_element_(bytes_per_element),
      entered_s_(std::size_t(world_size), 0.0),
      leaves_s_(std::size_t(world_size), 0.0) {
  const bool bus = model.duplex == Duplex::bus;
  const Ends backbone = bus && model.two_level() ? add_ports("bus between nodes", true) : Ends{0, 0};
  Ends node_bus{}, node_nic{};
  for (int rank = 0; rank < world_size; ++rank) {
    const int node = model.node_of(rank);
    const bool first = rank == 0 || model.node_of(rank - 1) != node;
    if (bus && first)
      node_bus = add_ports(model.two_level() ? fmt::format("node {} bus", node) : "bus", true);
    Seat seat{node, bus ? node_bus : add_ports(fmt::format("rank {}", rank), false), backbone};
    if (model.two_level() && !bus) {
      if (model.one_nic_per_node && first) node_nic = add_ports(fmt::format("node {} NIC", node), true);
      seat.outside = model.one_nic_per_node ? node_nic : add_ports(fmt::format("rank {} NIC", rank), false);
    }
    seats_.push_back(seat);
  }
}

SimLink::Ends SimLink::add_ports(const std::string& owner, bool shared) {
  const int first = int(ports_.size());
  const bool two = model_.duplex == Duplex::full;
  for (const char* end : {" send", " receive"}) {
    if (!two && int(ports_.size()) > first) break;
    ports_.emplace_back().shared = shared;
    port_names_.push_back(two ? owner + end : owner);
  }
  return {first, first + two};
}

// A port of one rank is idle when that rank enters a step, so what earlier steps left can go.
SimLink::Port& SimLink::fresh(int index) {
  Port& port = ports_[std::size_t(index)];
  if (!port.shared && port.step != step_) {
    port.timeline.clear();
    port.step = step_;
  }
  return port;
}

void SimLink::transfer(const Transfer& t, Range elements) {
  const auto src = std::size_t(t.src), dst = std::size_t(t.dst);
  const bool inside = seats_[src].node == seats_[dst].node;
  const std::int64_t bytes = std::int64_t(elements.count) * bytes_per_element_;
  const double duration_s = transfer_time_s(inside ? model_.inside : model_.between, bytes);
  const int from = inside ? seats_[src].inside.send : seats_[src].outside.send;
  const int to = inside ? seats_[dst].inside.receive : seats_[dst].outside.receive;
  Port &sender = fresh(from), &receiver = fresh(to);

  double start_s = std::max(entered_s_[src], entered_s_[dst]);
  for (double tried = -1; tried != start_s;) {
    tried = start_s;
    start_s = sender.timeline.first_fit(start_s, duration_s);
    if (to != from) start_s = receiver.timeline.first_fit(start_s, duration_s);
  }
  const double end_s = start_s + duration_s;
  sender.timeline.occupy(start_s, end_s);
  sender.busy_s += duration_s;
  if (to != from) {
    receiver.timeline.occupy(start_s, end_s);
    receiver.busy_s += duration_s;
  }
  leaves_s_[src] = std::max(leaves_s_[src], end_s);
  leaves_s_[dst] = std::max(leaves_s_[dst], end_s);
  if (log_ != nullptr) log_->push_back({t, step_, bytes, start_s, end_s});
}

void SimLink::end_step() {
  entered_s_ = leaves_s_;
  ++step_;
  if (model_.duplex != Duplex::bus && !(model_.two_level() && model_.one_nic_per_node)) return;
  const double horizon_s = *std::min_element(entered_s_.begin(), entered_s_.end());
  for (Port& port : ports_)
    if (port.shared) port.timeline.forget_before(horizon_s);
}

double SimLink::time_s() const {
  return *std::max_element(entered_s_.begin(), entered_s_.end());
}

std::vector<PortUse> SimLink::ports() const {
  std::vector<PortUse> uses;
  for (std::size_t i = 0; i < ports_.size(); ++i) uses.push_back({port_names_[i], ports_[i].busy_s});
  return uses;
}

}  // namespace dpx
