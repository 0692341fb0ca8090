#pragma once
// Streams as queues whose work is carried out as late (lazy), as early (eager) or as oddly (random) as the
// program's own waits allow.
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/fake_cuda/runtime/operation.hpp"

namespace fake {

struct Capture;

struct Stream {
  int device = 0;
  int id = 0;  ///< index in clocks; never reused
  bool alive = true;
  std::uint64_t issued = 0;  ///< operations so far
  Clock clock = {};          ///< what happens before the next operation
  std::deque<Operation> queue = {};
  double time_s = 0;  ///< virtual end of the last operation carried out
  std::shared_ptr<Capture> capture = nullptr;
  std::vector<int> tail = {};  ///< nodes the next captured operation depends on
};

struct Gpu {
  double engine_free_s[4] = {};  ///< virtual, by Engine
  std::set<int> peers = {};      ///< whose memory its kernels may use
};

/// All state of the fake machine. Every exported function works under `mutex`.
class Scheduler {
 public:
  Scheduler();
  std::recursive_mutex mutex;
  std::vector<Gpu> gpus;
  Clock host;      ///< what the host knows to be done
  int sticky = 0;  ///< cudaError_t that every later call returns

  Stream* create_stream(int device);
  void destroy_stream(Stream* stream);
  bool alive(const Stream* stream) const;
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }

  /// Adds `operation` to the stream, or to the graph that is being captured from it.
  void issue(Stream& stream, Operation operation);
  /// Carries out what must be done for the stream to be empty, or for `until` to be reached. Errors: a wait
  /// without an end ends the process.
  void drain(Stream& stream, const Point* until = nullptr);
  /// The same, after which the host knows it.
  void synchronize(Stream& stream);
  void synchronize_device(int device);
  void synchronize_point(const Point& point);
  /// The chance that other work has of being carried out whenever the host calls.
  void tick();
  /// Carries out one operation of those that `stream` needs; false when there is none that can be.
  bool progress(Stream& stream);

  /// Carries out an operation whose waits are over, starting no earlier than `start_s`. Returns its virtual
  /// end.
  double run(Operation& operation, double start_s);
  std::mt19937_64& random() { return random_; }
  /// Reports queued operations that touch what the host is about to touch.
  void check_host_against_queues(std::uintptr_t begin, std::size_t bytes, bool write) const;

 private:
  void step(Stream& stream);
  double run_graph(Operation& launch, double start_s);
  double run_body(Operation& operation, double start_s);
  static bool ready(const Operation& operation);
  Stream& stream_of(const Point& point);
  std::vector<std::unique_ptr<Stream>> streams_;
  std::mt19937_64 random_;
};

Scheduler& scheduler();

/// The operation that is being carried out, for the handler of page faults and for kernels.
struct Running {
  const Operation* operation = nullptr;
  std::uint64_t arenas = 0;  ///< bit per GPU whose memory it may use
};
Running& running();

/// Held by every exported function: the lock, and closed memory afterwards.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace fake
