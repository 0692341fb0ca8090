#pragma once
// Engine calls on plain vectors, for tests.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lib/data/dataset.hpp"
#include "tests/support/devices.hpp"

namespace dpx::test {

struct GradientResult {
  std::vector<float> gradient, losses;
  std::vector<std::uint8_t> correct;
};

/// forward_backward over the rows `order` of `examples` on a device of its own.
inline GradientResult gradient_of(const LeNet& model, const std::vector<float>& params,
                                  const Examples& examples, std::vector<std::int32_t> order,
                                  int threads = 1) {
  const auto backend = make_backend("cpu");
  Group group(backend->open({1, threads}));
  const auto engine = backend->make_engine(group.device(0), model, order.size());
  GradientResult r{std::vector<float>(model.num_params(), NAN), std::vector<float>(order.size(), NAN),
                   std::vector<std::uint8_t>(order.size(), 255)};
  const Shard shard{examples.images(), examples.label_slice(), {order.data(), order.size(), DType::i32}};
  engine->forward_backward(
      group.device(0).compute(), shard, {const_cast<float*>(params.data()), params.size(), DType::f32},
      {r.gradient.data(), r.gradient.size(), DType::f32},
      {{r.losses.data(), r.losses.size(), DType::f32}, {r.correct.data(), r.correct.size(), DType::u8}});
  group.synchronize();
  return r;
}

inline std::vector<std::int32_t> first_rows(std::size_t n) {
  std::vector<std::int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace dpx::test
