#pragma once
// Who touched which bytes last: finds two operations that touch the same bytes, one of them writing, with
// nothing that orders them (happens-before; FastTrack's reduction of the read set, Flanagan and Freund 2009).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/fake_cuda/runtime/operation.hpp"

namespace fake {

class History {
 public:
  /// Notes that `who` read or wrote [begin, begin + bytes) and reports every earlier access it is not ordered
  /// after.
  void access(const Touched& touched, const IssuedRef& who);
  /// Reports accesses that the host, whose knowledge is `host`, is not ordered after, before it reads or
  /// writes.
  void host_access(std::uintptr_t begin, std::size_t bytes, bool write, const Clock& host) const;
  /// The bytes are no longer of the allocation they were of.
  void forget(std::uintptr_t begin, std::size_t bytes);

 private:
  struct Segment {
    std::uintptr_t end;
    IssuedRef writer;
    std::vector<IssuedRef> readers;  ///< since the last write
  };
  using Segments = std::map<std::uintptr_t, Segment>;  ///< by first byte; disjoint
  void split_at(std::uintptr_t address);
  static void read(Segment& segment, const IssuedRef& who);
  Segments segments_;
};

History& history();

}  // namespace fake
