#include "tests/fake_cuda/runtime/shared_memory.hpp"

#include "tests/fake_cuda/runtime/fibers.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

namespace fake {

void SharedMemory::add_static(std::uintptr_t begin, std::uintptr_t end) {
  static_bytes_.emplace_back(begin, std::vector<Byte>(end - begin));
}

void* SharedMemory::start_block(const std::string& kernel, std::size_t dynamic_bytes) {
  kernel_ = kernel;
  ++block_;
  dynamic_.assign(dynamic_bytes, static_cast<char>(0xff));
  if (dynamic_bytes_.size() < dynamic_bytes) dynamic_bytes_.resize(dynamic_bytes);
  return dynamic_.data();
}

SharedMemory::Byte* SharedMemory::byte_at(std::uintptr_t address) {
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(dynamic_.data());
  if (offset < dynamic_.size()) return &dynamic_bytes_[offset];
  for (auto& [begin, bytes] : static_bytes_)
    if (address - begin < bytes.size()) return &bytes[address - begin];
  return nullptr;
}

bool SharedMemory::unordered(const Access& earlier, const Access& now) {
  if (earlier.thread < 0 || earlier.thread == now.thread || earlier.barriers != now.barriers) return false;
  if (earlier.atomic && now.atomic) return false;
  return earlier.thread / 32 != now.thread / 32 || earlier.exchanges == now.exchanges;
}

void SharedMemory::check(const char* verb, const char* noun, const Access& earlier, const Access& now) const {
  if (!unordered(earlier, now)) return;
  report("RACE in shared memory of " + kernel_ + ": " + verb + " by thread " + std::to_string(now.thread) +
         " and " + noun + " by thread " + std::to_string(earlier.thread) + " with no barrier between");
}

void SharedMemory::note(std::uintptr_t address, std::size_t bytes, bool write, bool atomic) {
  Byte* byte = byte_at(address);
  if (!byte) return;
  const Fiber& fiber = block().current();
  const Access now{fiber.index, block().barriers(), fiber.exchanges, atomic};
  for (const Byte* end = byte + bytes; byte < end; ++byte) {  // a variable lies in one piece of storage
    if (byte->launch_block != block_) *byte = Byte{.launch_block = block_, .write = {}, .read = {}};
    check(write ? "write" : "read", "write", byte->write, now);
    if (write) {
      for (const Access& read : byte->read) check("write", "read", read, now);
      byte->write = now;
    } else if (byte->read[0].thread != now.thread) {
      byte->read[1] = byte->read[0];
    }
    if (!write) byte->read[0] = now;
  }
}

SharedMemory& shared_memory() {
  static SharedMemory* instance = new SharedMemory;
  return *instance;
}

}  // namespace fake
