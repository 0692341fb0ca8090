#include "tests/fake_cuda/runtime/graph.hpp"

#include <algorithm>

#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {
namespace {

std::vector<std::vector<bool>> ancestors_of(const std::vector<Node>& nodes) {
  std::vector<std::vector<bool>> ancestors(nodes.size(), std::vector<bool>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i)  // a node comes after those it depends on
    for (const int dependency : nodes[i].after) {
      const auto d = static_cast<std::size_t>(dependency);
      ancestors[i][d] = true;
      for (std::size_t j = 0; j < d; ++j)
        if (ancestors[d][j]) ancestors[i][j] = true;
    }
  return ancestors;
}

/// Of the nodes whose dependencies are done, the one that is next.
std::size_t choose(std::size_t count, Scheduler& scheduler) {
  switch (settings().policy) {
    case Policy::eager:
      return 0;
    case Policy::random:
      return scheduler.random()() % count;
    case Policy::lazy:
      break;
  }
  return count - 1;
}

}  // namespace

void Capture::add(Stream& stream, Operation operation) {
  nodes.push_back({std::move(operation), stream.tail, nodes.size()});
  stream.tail = {static_cast<int>(nodes.size()) - 1};
}

bool Capture::all_joined() const {
  const auto ancestors = ancestors_of(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool reached = std::any_of(origin->tail.begin(), origin->tail.end(), [&](int tail) {
      return tail == static_cast<int>(i) || ancestors[static_cast<std::size_t>(tail)][i];
    });
    if (!reached) return false;
  }
  return true;
}

GraphExec::GraphExec(std::vector<Node> nodes) : nodes_(std::move(nodes)), ancestors_(ancestors_of(nodes_)) {
  collect_touched();
}

void GraphExec::collect_touched() {
  touched.clear();
  for (const Node& node : nodes_)
    touched.insert(touched.end(), node.operation.touched.begin(), node.operation.touched.end());
}

bool GraphExec::before(int first, int second) const {
  return ancestors_[static_cast<std::size_t>(second)][static_cast<std::size_t>(first)];
}

bool GraphExec::update(const std::vector<Node>& nodes) {
  const auto same = [](const Node& a, const Node& b) {
    return a.after == b.after && a.operation.kind == b.operation.kind &&
           a.operation.device == b.operation.device;
  };
  if (!std::equal(nodes.begin(), nodes.end(), nodes_.begin(), nodes_.end(), same)) return false;
  nodes_ = nodes;
  collect_touched();
  return true;
}

void GraphExec::set_event(std::size_t index, std::shared_ptr<Event> event) {
  nodes_.at(index).operation.node_records = std::move(event);
}

void GraphExec::issue(Operation& launch, const Clock& clock) {
  last_launch = clock;
  for (const Node& node : nodes_)  // what one of its nodes hangs on, the launch hangs on
    launch.waits.insert(launch.waits.end(), node.operation.waits.begin(), node.operation.waits.end());
  launch.launch_points.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (const auto& event = nodes_[i].operation.node_records) {
      launch.launch_points[i] =
          std::make_shared<Point>(Point{.stream = launch.issued->stream, .clock = clock});
      event->last = launch.launch_points[i];
    }
}

double Scheduler::run_graph(Operation& launch, double start_s) {
  const std::vector<Node>& nodes = launch.launch->nodes();
  std::vector<std::size_t> missing(nodes.size()), candidates;
  std::vector<double> end_s(nodes.size(), start_s);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    missing[i] = nodes[i].after.size();
    if (!missing[i]) candidates.push_back(i);
  }
  double last_s = start_s;
  while (!candidates.empty()) {
    const std::size_t chosen = choose(candidates.size(), *this), i = candidates[chosen];
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
    Operation operation = nodes[i].operation;
    operation.issued = std::make_shared<Issued>(Issued{.name = operation.name,
                                                       .stream = launch.issued->stream,
                                                       .number = launch.issued->number,
                                                       .node = static_cast<int>(i),
                                                       .graph = launch.launch,
                                                       .clock = launch.issued->clock});
    operation.records = launch.launch_points[i];
    double node_start_s = start_s;
    for (const int dependency : nodes[i].after)
      node_start_s = std::max(node_start_s, end_s[static_cast<std::size_t>(dependency)]);
    end_s[i] = run(operation, node_start_s);
    last_s = std::max(last_s, end_s[i]);
    for (std::size_t j = i + 1; j < nodes.size(); ++j)
      for (const int dependency : nodes[j].after)
        if (static_cast<std::size_t>(dependency) == i && --missing[j] == 0) candidates.push_back(j);
  }
  return last_s;
}

}  // namespace fake
