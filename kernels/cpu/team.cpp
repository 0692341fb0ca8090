#include "kernels/cpu/team.hpp"

#include "kernels/cpu/affinity.hpp"
#include "kernels/cpu/spin.hpp"

namespace dpx {

Team::Team(int size, const std::vector<int>& cores) {
  for (int worker = 1; worker < size; ++worker)
    threads_.emplace_back([this, worker, cores] {
      cpu::pin_this_thread(cores);
      serve(worker);
    });
}

Team::~Team() {
  stop_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Team::work(int worker) {
  try {
    for (int task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) (*body_)(task, worker);
  } catch (...) {
    if (!error_taken_.test_and_set(std::memory_order_acq_rel)) error_ = std::current_exception();
  }
}

void Team::serve(int worker) {
  for (int seen = 0;;) {
    cpu::wait_while_equal(generation_, seen);
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    work(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

void Team::run(int tasks, const std::function<void(int, int)>& body) {
  body_ = &body;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  error_ = nullptr;
  error_taken_.clear();
  if (!threads_.empty() && tasks > 1) {
    busy_.store(int(threads_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    work(0);
    for (int left; (left = busy_.load(std::memory_order_acquire)) != 0;) cpu::wait_while_equal(busy_, left);
  } else {
    work(0);
  }
  if (error_) std::rethrow_exception(error_);
}

}  // namespace dpx
