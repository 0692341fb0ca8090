#pragma once
// One piece of asynchronous work, who it is, and what must have happened before it.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fake {

/// A vector clock: how far each stream's work is known to be done.
class Clock {
 public:
  void join(const Clock& other);
  void set(int stream, std::uint64_t number);
  bool covers(int stream, std::uint64_t number) const;

 private:
  std::vector<std::uint64_t> at_;
};

/// Which nodes of a graph come before which.
class GraphOrder {
 public:
  virtual ~GraphOrder() = default;
  virtual bool before(int first, int second) const = 0;
};

/// The identity of an operation that was issued: work number `number` of stream `stream`, and the node if
/// that work is a graph.
struct Issued {
  std::string name;
  int stream = -1;
  std::uint64_t number = 0;
  int node = -1;
  std::shared_ptr<const GraphOrder> graph = nullptr;
  Clock clock = {};  ///< what happened before it
};
using IssuedRef = std::shared_ptr<const Issued>;

/// True when `later` is known to start after `earlier` is done.
bool ordered(const Issued& earlier, const Issued& later);

/// Bytes an operation reads or writes.
struct Touched {
  const void* begin;
  std::size_t bytes;
  bool write;
};

/// A point in a stream's work, made by one cudaEventRecord. Whoever waits for it holds it: the event may be
/// recorded again or destroyed meanwhile.
struct Point {
  int stream = -1;
  bool reached = false;
  double time_s = 0;  ///< virtual
  Clock clock = {};
};
using PointRef = std::shared_ptr<Point>;

struct Event {
  int device = 0;
  bool timing = true;
  PointRef last = nullptr;  ///< null before the first record
  std::shared_ptr<struct Capture> capture =
      nullptr;  ///< recorded while capturing: these nodes stand for the point
  std::vector<int> nodes = {};
};

enum class Engine { none, compute, copy_in, copy_out };

struct Operation {
  enum class Kind { kernel, copy, set, host, mark, graph };
  Kind kind = Kind::mark;
  std::string name = {};
  int device = 0;
  Engine engine = Engine::none;
  double cost_s = 0;                  ///< virtual time on its engine
  bool any_gpu = false;               ///< a kernel that may use every GPU's memory, as NCCL's do
  std::vector<Touched> touched = {};  ///< known beforehand; a kernel's are recorded while it runs
  std::function<void()> body = {};
  std::vector<PointRef> waits = {};
  PointRef records = nullptr;
  std::shared_ptr<Event> node_records =
      nullptr;  ///< an event node of a graph: makes a new point at each launch
  std::shared_ptr<class GraphExec> launch = nullptr;
  std::vector<PointRef> launch_points = {};  ///< by node of `launch`, null where it records no event
  IssuedRef issued = nullptr;
  std::shared_ptr<void> captured = nullptr;  ///< held while a graph that can be launched has this operation
};

}  // namespace fake
