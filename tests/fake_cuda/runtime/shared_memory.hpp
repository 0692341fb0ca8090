#pragma once
// Finds two threads of a block that use the same byte of shared memory with no barrier between, one of them
// writing.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fake {

class SharedMemory {
 public:
  /// Static storage of a twin library, where its __shared__ variables are.
  void add_static(std::uintptr_t begin, std::uintptr_t end);
  /// Poisoned dynamic shared memory for the next block.
  void* start_block(const std::string& kernel, std::size_t dynamic_bytes);
  void* dynamic() { return dynamic_.data(); }
  void note(std::uintptr_t address, std::size_t bytes, bool write, bool atomic);

 private:
  /// One thread's access, and how many barriers of its block and exchanges of its warp came before it.
  struct Access {
    int thread = -1;
    unsigned barriers = 0, exchanges = 0;
    bool atomic = false;
  };
  struct Byte {
    std::uint64_t launch_block = 0;  ///< an older value: not touched in this block yet
    Access write, read[2];           ///< the last write; the last reads of two different threads
  };
  static bool unordered(const Access& earlier, const Access& now);
  void check(const char* verb, const char* noun, const Access& earlier, const Access& now) const;
  Byte* byte_at(std::uintptr_t address);
  std::string kernel_;
  std::uint64_t block_ = 0;
  std::vector<char> dynamic_;
  std::vector<Byte> dynamic_bytes_;
  std::vector<std::pair<std::uintptr_t, std::vector<Byte>>> static_bytes_;  ///< first address, bytes
};

SharedMemory& shared_memory();

}  // namespace fake
