#pragma once
// Byte-exact record of what a kernel's twin reads and writes. The twin is compiled with -fsanitize=thread,
// and this library provides the functions which that calls for each access.
#include <cstdint>
#include <vector>

#include "tests/fake_cuda/runtime/operation.hpp"

namespace fake {

class Recorder {
 public:
  Recorder();
  void start();
  std::vector<Touched> finish();
  bool active() const { return active_; }
  /// One access of a kernel, to memory of any kind.
  void note(std::uintptr_t address, std::size_t bytes, bool write);

 private:
  void collect(std::uint64_t* bits, std::size_t page, bool write, std::vector<Touched>& out) const;
  bool active_ = false;
  std::uintptr_t base_, extent_;
  std::uint64_t* bits_[2];  ///< a bit per byte: read, written; zero pages until touched
  std::uint8_t* dirty_;     ///< a flag per page
  std::vector<std::size_t> dirty_pages_;
};

Recorder& recorder();

}  // namespace fake
