#include "tests/fake_cuda/runtime/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/fake_cuda/runtime/history.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kPoison = 0xff;  ///< four of them are a NaN, and -1

std::size_t pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
}

void protect(char* begin, std::size_t bytes, int protection) {
  if (bytes && mprotect(begin, pages(bytes), protection) != 0) stop("mprotect failed: too many mappings?");
}

}  // namespace

char* Arena::allocate(std::size_t bytes) {
  const std::size_t needed = pages(bytes) + kPage;
  char* at = base_;
  for (const auto& [begin, size] : blocks_) {
    if (static_cast<std::size_t>(begin - at) >= needed) break;
    at = begin + pages(size) + kPage;
  }
  if (needed > capacity_ || at > base_ + capacity_ - needed) return nullptr;
  blocks_[at] = bytes;
  used_ += pages(bytes);
  high_water_ = std::max(high_water_, static_cast<std::size_t>(at - base_) + needed);
  return at;
}

std::optional<std::size_t> Arena::release(char* begin) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return std::nullopt;
  const std::size_t bytes = found->second;
  blocks_.erase(found);
  used_ -= pages(bytes);
  return bytes;
}

Memory::Memory() {
  const std::size_t each = settings().memory_bytes, count = settings().gpus.size() + 1;
  void* all = mmap(nullptr, each * count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) stop("cannot reserve " + std::to_string(each * count) + " bytes of address space");
  for (std::size_t i = 0; i < count; ++i) arenas_.emplace_back(static_cast<char*>(all) + i * each, each);
}

int Memory::arena_of(const void* p) const {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  if (address < base() || address >= base() + extent()) return -1;
  return static_cast<int>((address - base()) / arenas_.front().capacity());
}

std::optional<Allocation> Memory::block_of(const void* p) const {
  const int index = arena_of(p);
  if (index < 0) return std::nullopt;
  char* address = static_cast<char*>(const_cast<void*>(p));
  const auto& blocks = arena(index).blocks();
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) return std::nullopt;
  const auto [begin, bytes] = *std::prev(next);
  if (address >= begin + std::max<std::size_t>(bytes, 1)) return std::nullopt;
  return Allocation{index, begin, bytes};
}

void* Memory::allocate(int index, std::size_t bytes) {
  Arena& arena = arenas_[static_cast<std::size_t>(index)];
  char* begin = arena.allocate(bytes);
  if (!begin) return nullptr;
  protect(begin, bytes, PROT_READ | PROT_WRITE);
  std::memset(begin, kPoison, bytes);
  const bool stays_open = index == pinned_arena() || (open_ >> index & 1);
  if (!stays_open) protect(begin, bytes, PROT_NONE);
  return begin;
}

bool Memory::release(void* p, bool pinned) {
  const int index = arena_of(p);
  if (index < 0 || (index == pinned_arena()) != pinned) return false;
  char* begin = static_cast<char*>(p);
  const auto bytes = arenas_[static_cast<std::size_t>(index)].release(begin);
  if (!bytes) return false;
  guarded_.erase(begin);
  opened_.erase(begin);
  protect(begin, *bytes, PROT_NONE);
  madvise(begin, pages(*bytes), MADV_DONTNEED);
  history().forget(reinterpret_cast<std::uintptr_t>(begin), pages(*bytes));
  return true;
}

std::string Memory::describe(const void* p) const {
  const int index = arena_of(p);
  char text[160];
  if (index < 0) {
    std::snprintf(text, sizeof text, "host memory at %p", p);
    return text;
  }
  const std::string owner =
      index == pinned_arena() ? "pinned memory" : "memory of GPU " + std::to_string(index);
  const auto block = block_of(p);
  if (!block) {
    std::snprintf(text, sizeof text, "%s outside any allocation at %p", owner.c_str(), p);
  } else {
    std::snprintf(text, sizeof text, "%s, byte %zd of the %zu allocated at %p", owner.c_str(),
                  static_cast<const char*>(p) - block->begin, block->bytes, static_cast<void*>(block->begin));
  }
  return text;
}

void Memory::open(int index) {
  if (open_ >> index & 1) return;
  open_ |= std::uint64_t(1) << index;
  for (const auto& [begin, bytes] : arena(index).blocks()) protect(begin, bytes, PROT_READ | PROT_WRITE);
}

void Memory::close_except(std::uint64_t allowed) {
  for (int index = 0; index < pinned_arena(); ++index) {
    if (!(open_ >> index & 1) || (allowed >> index & 1)) continue;
    open_ &= ~(std::uint64_t(1) << index);
    protect(arena(index).base(), arena(index).high_water(), PROT_NONE);
  }
}

void Memory::guard(const Allocation& pinned) {
  guarded_[pinned.begin] = pinned;
  opened_.erase(pinned.begin);
  protect(pinned.begin, pinned.bytes, PROT_NONE);
}

void Memory::open_for_operation(const Allocation& pinned) {
  if (!guarded_.count(pinned.begin) || opened_.count(pinned.begin)) return;
  opened_[pinned.begin] = pinned;
  protect(pinned.begin, pinned.bytes, PROT_READ | PROT_WRITE);
}

void Memory::open_page_for_host(std::uintptr_t page, bool write) {
  protect(reinterpret_cast<char*>(page), kPage, write ? PROT_READ | PROT_WRITE : PROT_READ);
}

void Memory::restore_guards() {
  for (const auto& [begin, block] : opened_) protect(begin, block.bytes, PROT_NONE);
  opened_.clear();
}

Memory& memory() {
  static Memory* instance = new Memory;  // outlives static destructors that still free device memory
  return *instance;
}

}  // namespace fake
