#pragma once
// A fixed team of threads that serves one CPU device's compute stream (--threads-per-device).
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace dpx {

/// `size` workers: the caller of `run` is worker 0, the others are threads of the team.
class Team {
 public:
  /// `cores`: where the team's threads run; empty: anywhere.
  explicit Team(int size, const std::vector<int>& cores = {});
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  int size() const { return int(threads_.size()) + 1; }
  /// Calls body(task, worker) for every task in [0, tasks), each once, on whichever worker is free; returns
  /// when all are done. Errors: rethrows the first exception of a task.
  void run(int tasks, const std::function<void(int task, int worker)>& body);

 private:
  void serve(int worker);
  void work(int worker);
  std::vector<std::thread> threads_;
  const std::function<void(int, int)>* body_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> generation_{0};  ///< a change tells the threads that there is work
  std::atomic<int> busy_{0};        ///< team threads that have not finished the current generation
  std::atomic<bool> stop_{false};
  std::exception_ptr error_;
  std::atomic_flag error_taken_ = ATOMIC_FLAG_INIT;
};

}  // namespace dpx
