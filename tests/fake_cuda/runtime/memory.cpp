#include "tests/fake_cuda/runtime/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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

// One file without a name, mapped twice: where the program sees it, and once more, always open.
Memory::Memory() {
  std::vector<std::size_t> capacities;
  for (const Model& model : settings().models) capacities.push_back(model.memory_bytes);
  capacities.push_back(settings().memory_bytes);  // pinned
  stride_ = *std::max_element(capacities.begin(), capacities.end());
  const std::size_t all = stride_ * capacities.size();
  file_ = memfd_create("fake GPUs", MFD_CLOEXEC);
  const bool sized = file_ >= 0 && ftruncate(file_, static_cast<off_t>(all)) == 0;
  void* seen = mmap(nullptr, all, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  void* open = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (!sized || seen == MAP_FAILED || open == MAP_FAILED)
    stop("cannot reserve " + std::to_string(all) + " bytes of address space");
  alias_ = static_cast<char*>(open) - static_cast<char*>(seen);
  for (std::size_t i = 0; i < capacities.size(); ++i)
    arenas_.emplace_back(static_cast<char*>(seen) + i * stride_, capacities[i]);
}

void* Memory::always_open(const void* p) const {
  char* address = static_cast<char*>(const_cast<void*>(p));
  return arena_of(p) < 0 ? address : address + alias_;
}

int Memory::arena_of(const void* p) const {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  if (address < base() || address >= base() + extent()) return -1;
  return static_cast<int>((address - base()) / stride_);
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
  std::memset(always_open(begin), kPoison, bytes);
  if (index == pinned_arena() || (open_ >> index & 1)) protect(begin, bytes, PROT_READ | PROT_WRITE);
  return begin;
}

bool Memory::release(void* p, bool pinned) {
  const int index = arena_of(p);
  if (index < 0 || (index == pinned_arena()) != pinned) return false;
  char* begin = static_cast<char*>(p);
  const auto bytes = arenas_[static_cast<std::size_t>(index)].release(begin);
  if (!bytes) return false;
  guards_.erase(begin);
  protect(begin, *bytes, PROT_NONE);
  const auto offset = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(begin) - base());
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, static_cast<off_t>(pages(*bytes)));
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
  const auto [entry, fresh] = guards_.try_emplace(pinned.begin, Guard{pinned, false, false});
  Guard& guard = entry->second;
  if (fresh || guard.host_has_pages || guard.kernel_has_all) protect(pinned.begin, pinned.bytes, PROT_NONE);
  guard.host_has_pages = guard.kernel_has_all = false;
}

void Memory::open_for_kernel(const Allocation& pinned) {
  const auto guard = guards_.find(pinned.begin);
  if (guard == guards_.end()) return;
  guard->second.kernel_has_all = true;
  protect(pinned.begin, pinned.bytes, PROT_READ | PROT_WRITE);
}

void Memory::open_page_for_host(const Allocation& pinned, std::uintptr_t page, bool write) {
  guards_.at(pinned.begin).host_has_pages = true;
  protect(reinterpret_cast<char*>(page), kPage, write ? PROT_READ | PROT_WRITE : PROT_READ);
}

void Memory::restore_guards() {
  for (auto& [begin, guard] : guards_)
    if (guard.kernel_has_all) this->guard(guard.block);
}

Memory& memory() {
  static Memory* instance = new Memory;  // outlives static destructors that still free device memory
  return *instance;
}

}  // namespace fake
