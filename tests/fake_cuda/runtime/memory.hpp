#pragma once
// Memory of the fake GPUs and pinned host memory: poisoned with NaN bits, and closed (PROT_NONE) to whoever
// has no business in it.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fake {

/// One reservation of address space, cut into blocks; first fit, a closed page between neighbours.
class Arena {
 public:
  Arena(char* base, std::size_t capacity) : base_(base), capacity_(capacity) {}
  /// Null when no gap is wide enough.
  char* allocate(std::size_t bytes);
  /// Bytes the block at `begin` had; nothing when there is none.
  std::optional<std::size_t> release(char* begin);
  bool contains(const void* p) const { return p >= base_ && p < base_ + capacity_; }
  char* base() const { return base_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }
  std::size_t high_water() const { return high_water_; }
  const std::map<char*, std::size_t>& blocks() const { return blocks_; }

 private:
  char* base_;
  std::size_t capacity_, used_ = 0, high_water_ = 0;
  std::map<char*, std::size_t> blocks_;  ///< begin -> bytes asked for
};

struct Allocation {
  int arena;
  char* begin;
  std::size_t bytes;
};

class Memory {
 public:
  Memory();
  int pinned_arena() const { return static_cast<int>(arenas_.size()) - 1; }
  bool is_pinned(const void* p) const { return arena_of(p) == pinned_arena(); }
  /// The GPU that owns `p`, the pinned arena, or -1.
  int arena_of(const void* p) const;
  const Arena& arena(int index) const { return arenas_[static_cast<std::size_t>(index)]; }
  std::optional<Allocation> block_of(const void* p) const;
  void* allocate(int arena, std::size_t bytes);
  /// False when `p` is not the first byte of a block of a GPU (pinned: of pinned memory).
  bool release(void* p, bool pinned);
  /// `GPU 1's 4000 bytes at 0x...+128`, for messages.
  std::string describe(const void* p) const;

  /// The same bytes at an address that is never closed, for copies; other addresses unchanged.
  void* always_open(const void* p) const;
  /// A GPU's memory is open only while a kernel that may use it runs; `close_except` is called before
  /// anything else does.
  void open(int arena);
  void close_except(std::uint64_t allowed_arenas);
  /// A pinned block is closed when an operation that uses it is issued: the host's next touch of each page is
  /// then seen. Kernels open it for themselves; `restore_guards` closes what they opened.
  void guard(const Allocation& pinned);
  void open_for_kernel(const Allocation& pinned);
  void open_page_for_host(const Allocation& pinned, std::uintptr_t page, bool write);
  void restore_guards();

  /// The whole reservation, for the recorder of kernels' accesses.
  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(arenas_.front().base()); }
  std::size_t extent() const { return arenas_.size() * stride_; }

 private:
  std::vector<Arena> arenas_;
  std::size_t stride_ = 0;  ///< bytes from an arena's address to the next one's
  std::uint64_t open_ = 0;  ///< bit per GPU
  int file_ = -1;
  std::ptrdiff_t alias_ = 0;  ///< from an address to the same bytes' always open one
  struct Guard {
    Allocation block;
    bool host_has_pages, kernel_has_all;  ///< what is open of it
  };
  std::map<char*, Guard> guards_;
};

Memory& memory();

}  // namespace fake
