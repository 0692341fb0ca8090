#include "tests/support/exact_inputs.hpp"

namespace dpx::test {
namespace {
float base(std::size_t index) {
  return float(index % 1021 + 1);
}
}  // namespace

std::vector<float> exact_input(int rank, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(rank + 1) * base(i);
  return values;
}

std::vector<float> exact_sum(int world_size, std::size_t count) {
  const int factor = world_size * (world_size + 1) / 2;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(factor) * base(i);
  return values;
}

}  // namespace dpx::test
