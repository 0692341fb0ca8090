#include "tests/fake_cuda/runtime/recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "tests/fake_cuda/runtime/memory.hpp"
#include "tests/fake_cuda/runtime/report.hpp"
#include "tests/fake_cuda/runtime/settings.hpp"

namespace fake {
namespace {

constexpr std::size_t kPage = 4096, kWordsPerPage = kPage / 64;

void* zeroes(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) stop("cannot reserve " + std::to_string(bytes) + " bytes for the record of accesses");
  return p;
}

}  // namespace

Recorder::Recorder()
    : base_(memory().base()),
      extent_(memory().extent()),
      bits_{static_cast<std::uint64_t*>(zeroes(extent_ / 8)),
            static_cast<std::uint64_t*>(zeroes(extent_ / 8))},
      dirty_(static_cast<std::uint8_t*>(zeroes(extent_ / kPage))) {}

void Recorder::start() {
  active_ = settings().races;
}

void Recorder::note(std::uintptr_t address, std::size_t bytes, bool write) {
  const std::uintptr_t offset = address - base_;
  if (offset >= extent_) return;
  const std::size_t page = offset / kPage;
  if (!dirty_[page]) {
    dirty_[page] = 1;
    dirty_pages_.push_back(page);
  }
  const std::size_t bit = offset % 64, here = std::min(bytes, std::min<std::size_t>(64 - bit, 63));
  bits_[write][offset / 64] |= ((std::uint64_t(1) << here) - 1) << bit;
  if (here < bytes) note(address + here, bytes - here, write);
}

void Recorder::collect(std::uint64_t* bits, std::size_t page, bool write, std::vector<Touched>& out) const {
  for (std::size_t word = page * kWordsPerPage; word < (page + 1) * kWordsPerPage; ++word) {
    std::uint64_t rest = bits[word];
    bits[word] = 0;
    for (unsigned at = 0; rest;) {
      const auto skip = static_cast<unsigned>(std::countr_zero(rest));
      at += skip;
      rest >>= skip;
      const auto run = static_cast<unsigned>(std::countr_one(rest));
      const char* begin = reinterpret_cast<const char*>(base_) + word * 64 + at;
      if (!out.empty() && static_cast<const char*>(out.back().begin) + out.back().bytes == begin)
        out.back().bytes += run;
      else
        out.push_back({begin, run, write});
      at += run;
      rest = run == 64 ? 0 : rest >> run;
    }
  }
}

std::vector<Touched> Recorder::finish() {
  active_ = false;
  std::sort(dirty_pages_.begin(), dirty_pages_.end());
  std::vector<Touched> touched, written;
  for (const std::size_t page : dirty_pages_) {
    // What is written, too, need not be told as read: a write must be ordered after all that a read must be.
    for (std::size_t word = page * kWordsPerPage; word < (page + 1) * kWordsPerPage; ++word)
      bits_[0][word] &= ~bits_[1][word];
    collect(bits_[0], page, false, touched);
    collect(bits_[1], page, true, written);
    dirty_[page] = 0;
  }
  dirty_pages_.clear();
  touched.insert(touched.end(), written.begin(), written.end());
  return touched;
}

Recorder& recorder() {
  static Recorder* instance = new Recorder;
  return *instance;
}

}  // namespace fake
