#include "kernels/cpu/cpu_stream.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kernels/cpu/affinity.hpp"
#include "kernels/cpu/bf16_ops.hpp"
#include "kernels/cpu/spin.hpp"
#include "kernels/cpu/vector_ops.hpp"
#include "lib/core/error.hpp"

namespace dpx {

void StickyError::capture(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (set()) return;
  error_ = std::move(error);
  set_.store(true, std::memory_order_release);
}

void StickyError::rethrow() const {
  if (!set()) return;
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(error_);
}

void CpuEvent::synchronize() {
  reached_.wait(0);
  error_->rethrow();
}

double CpuEvent::elapsed_s_since(const EventState& earlier) const {
  const auto& other = dynamic_cast<const CpuEvent&>(earlier);
  return std::chrono::duration<double>(time_ - other.time_).count();
}

void CpuEvent::signal() {
  time_ = std::chrono::steady_clock::now();
  reached_.raise();
}

struct CpuStream::EventBlock {
  explicit EventBlock(std::shared_ptr<const StickyError> sticky) : error(std::move(sticky)) {
    for (CpuEvent& event : events) event.error_ = error.get();
  }
  std::shared_ptr<const StickyError> error;
  std::array<CpuEvent, 64> events;
};

CpuStream::CpuStream(std::shared_ptr<StickyError> error, std::vector<int> cores)
    : error_(std::move(error)), worker_([this, cores = std::move(cores)] {
        cpu::pin_this_thread(cores);
        serve();
      }) {}

CpuStream::~CpuStream() {
  {
    const std::lock_guard lock(lock_);
    stop_ = true;
  }
  pending_.raise();
  worker_.join();
}

void CpuStream::push(Item item) {
  {
    const std::lock_guard lock(lock_);
    queue_.push_back(std::move(item));
  }
  pending_.raise();
}

/// Items and events come from the host's core: fetched while the item before them runs, or waits.
void CpuStream::prefetch_after(const std::vector<Item>& items, std::size_t i) {
  if (i + 2 < items.size()) {
    __builtin_prefetch(&items[i + 2]);
    __builtin_prefetch(reinterpret_cast<const char*>(&items[i + 3]) - 1);
  }
  for (std::size_t ahead = i; ahead < std::min(i + 2, items.size()); ++ahead)
    if (items[ahead].end != nullptr) cpu::prefetch_for_writing(items[ahead].end);
}

void CpuStream::serve() {
  std::shared_ptr<EventBlock> events;  // of the item at hand
  for (std::vector<Item> taken;; taken.clear()) {
    pending_.wait(0);
    {
      const std::lock_guard lock(lock_);
      if (queue_.empty() && stop_) return;  // all that was enqueued is done
      taken.swap(queue_);
      if (!stop_) pending_.lower();
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
      prefetch_after(taken, i);
      if (taken[i].events) events = std::move(taken[i].events);
      run(taken[i]);
    }
  }
}

void CpuStream::run(Item& item) {
  if (item.together != nullptr) {
    item.together(item.context, item.rank);
  } else if (item.work && (item.always || !error_->set())) {
    try {
      item.work();
    } catch (...) {
      error_->capture(std::current_exception());
    }
  }
  if (item.end) item.end->signal();
}

void CpuStream::enqueue(std::function<void()> work) {
  push({.work = std::move(work)});
}

namespace {
void require_match(const char* what, Slice dst, Slice src) {
  if (dst.count != src.count || dst.dtype != src.dtype)
    throw Error(Exit::internal, fmt::format("stream {}: {} {} elements from {} {}", what, dst.count,
                                            name_of(dst.dtype), src.count, name_of(src.dtype)));
}
void require_f32(const char* what, Slice dst) {
  if (dst.dtype != DType::f32)
    throw Error(Exit::internal, fmt::format("stream {}: {} is not fp32", what, name_of(dst.dtype)));
}
}  // namespace

void CpuStream::copy(Slice dst, Slice src) {
  require_match("copy", dst, src);
  if (dst.bytes() == 0) return;
  enqueue([=] { std::memcpy(dst.data, src.data, dst.bytes()); });
}

void CpuStream::add(Slice dst, Slice src) {
  require_match("add", dst, src);
  if (dst.dtype == DType::bf16) return enqueue([=] { cpu::add(dst.as<Bf16>(), src.as<Bf16>(), dst.count); });
  require_f32("add", dst);
  enqueue([=] { cpu::add(dst.as<float>(), src.as<float>(), dst.count); });
}

void CpuStream::convert(Slice dst, Slice src) {
  const bool rounds = dst.dtype == DType::bf16 && src.dtype == DType::f32;
  const bool widens = dst.dtype == DType::f32 && src.dtype == DType::bf16;
  if (dst.count != src.count || !(rounds || widens))
    throw Error(Exit::internal, fmt::format("stream convert: {} {} elements from {} {}", dst.count,
                                            name_of(dst.dtype), src.count, name_of(src.dtype)));
  if (rounds)
    enqueue([=] { cpu::convert(dst.as<Bf16>(), src.as<float>(), dst.count); });
  else
    enqueue([=] { cpu::convert(dst.as<float>(), src.as<Bf16>(), dst.count); });
}

void CpuStream::axpy(Slice dst, float a, Slice src) {
  require_match("axpy", dst, src);
  require_f32("axpy", dst);
  enqueue([=] { cpu::axpy(dst.as<float>(), a, src.as<float>(), dst.count); });
}

void CpuStream::scale(Slice dst, float a) {
  require_f32("scale", dst);
  enqueue([=] { cpu::scale(dst.as<float>(), a, dst.count); });
}

Event CpuStream::next_event(Item& item) {
  if (!block_ || used_ == block_->events.size()) {
    block_ = std::make_shared<EventBlock>(error_);
    used_ = 0;
    item.events = block_;
  }
  item.end = &block_->events[used_++];
  return Event(block_, item.end);
}

Event CpuStream::push_with_end(Item item) {
  Event end;
  {
    const std::lock_guard lock(lock_);
    end = next_event(item);
    queue_.push_back(std::move(item));
  }
  pending_.raise();
  return end;
}

Event CpuStream::run_together(std::function<void()> work) {
  return push_with_end({.work = std::move(work), .always = true});
}

Event CpuStream::run_together(void (*work)(void*, int), void* context, int rank) {
  return push_with_end({.together = work, .context = context, .rank = rank});
}

Event CpuStream::record() {
  return push_with_end({});
}

void CpuStream::wait(const Event& event) {
  if (!event) return;
  auto other = std::dynamic_pointer_cast<CpuEvent>(event);
  if (!other) throw Error(Exit::internal, "a CPU stream can only wait for events of CPU devices");
  push({.work = [other] { other->wait(); }, .always = true});
}

void CpuStream::synchronize() {
  record()->synchronize();
}

}  // namespace dpx
