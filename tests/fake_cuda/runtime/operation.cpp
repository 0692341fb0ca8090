#include "tests/fake_cuda/runtime/operation.hpp"

#include <algorithm>

namespace fake {

void Clock::join(const Clock& other) {
  if (at_.size() < other.at_.size()) at_.resize(other.at_.size());
  for (std::size_t i = 0; i < other.at_.size(); ++i) at_[i] = std::max(at_[i], other.at_[i]);
}

void Clock::set(int stream, std::uint64_t number) {
  const auto index = static_cast<std::size_t>(stream);
  if (at_.size() <= index) at_.resize(index + 1);
  at_[index] = number;
}

bool Clock::covers(int stream, std::uint64_t number) const {
  const auto index = static_cast<std::size_t>(stream);
  return index < at_.size() && at_[index] >= number;
}

bool ordered(const Issued& earlier, const Issued& later) {
  if (earlier.stream == later.stream && earlier.number == later.number)
    return earlier.node == later.node || earlier.graph->before(earlier.node, later.node);
  return later.clock.covers(earlier.stream, earlier.number);
}

}  // namespace fake
