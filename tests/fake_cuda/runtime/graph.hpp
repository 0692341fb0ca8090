#pragma once
// Graphs by stream capture: work issued to a capturing stream becomes nodes, waits become edges.
#include <memory>
#include <set>
#include <vector>

#include "tests/fake_cuda/runtime/operation.hpp"
#include "tests/fake_cuda/runtime/scheduler.hpp"

namespace fake {

struct Node {
  Operation operation;
  std::vector<int> after;  ///< nodes it depends on
  std::size_t index = 0;   ///< of it in its graph
};

/// A capture in progress, from its origin stream and those that joined it by waiting for a captured event.
struct Capture {
  std::vector<Node> nodes = {};
  Stream* origin = nullptr;
  std::set<Stream*> joined = {};
  bool strict = true;    ///< not cudaStreamCaptureModeRelaxed: calls that might synchronise are refused
  bool invalid = false;  ///< something was done that cannot be captured
  bool ended = false;
  void add(Stream& stream, Operation operation);
  /// True when every node is an ancestor of what the origin's next node would depend on.
  bool all_joined() const;
};

/// What a graph is launched from. Errors: none; it is made from a capture that ended well.
class GraphExec final : public GraphOrder {
 public:
  explicit GraphExec(std::vector<Node> nodes);
  bool before(int first, int second) const override;
  /// Called when a launch is issued: makes the points of event nodes, remembers the launch.
  void issue(Operation& launch, const Clock& clock);
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Takes over parameters of a graph of the same shape. False when the shapes differ.
  bool update(const std::vector<Node>& nodes);
  /// Launches from now on record `event` in event node `index`.
  void set_event(std::size_t index, std::shared_ptr<Event> event);

  /// Called when it is destroyed: launches may still be under way, but nobody waits for them.
  void let_go() {
    for (Node& node : nodes_) node.operation.captured = nullptr;
  }

  std::vector<Touched> touched;  ///< known beforehand, of all nodes
  Clock last_launch;             ///< launches of one graph follow one another

 private:
  void collect_touched();
  std::vector<Node> nodes_;
  std::vector<std::vector<bool>> ancestors_;
};

}  // namespace fake
