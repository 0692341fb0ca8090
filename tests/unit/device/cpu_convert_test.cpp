#include <gtest/gtest.h>

#include <vector>

#include "tests/support/devices.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

TEST(CpuStreamBf16, ConvertsBothWaysAndAdds) {
  Group group = test::cpu_group(1);
  Stream& stream = group.device(0).compute();
  std::vector<float> wide = {1.0f, 256.0f, 1.00390625f, -3.0f}, back(4);
  std::vector<Bf16> narrow(4), ones(4, to_bf16(1));
  const Slice f32{wide.data(), 4, DType::f32}, bf16{narrow.data(), 4, DType::bf16};
  stream.convert(bf16, f32);
  stream.add(bf16, {ones.data(), 4, DType::bf16});
  stream.convert({back.data(), 4, DType::f32}, bf16);
  stream.convert(bf16.sub({4, 0}), f32.sub({4, 0}));
  stream.synchronize();
  EXPECT_EQ(back, (std::vector<float>{2.0f, 256.0f, 2.0f, -2.0f}));
}

TEST(CpuStreamBf16, RefusesWhatItCannotDo) {
  Group group = test::cpu_group(1);
  Stream& stream = group.device(0).compute();
  const Buffer buffer = group.device(0).allocate(64);
  const Slice f32 = buffer.slice(DType::f32).sub({0, 8}), bf16 = buffer.slice(DType::bf16).sub({16, 8});
  const auto refused = [](auto body) { return test::error_of(body, Exit::internal); };
  EXPECT_TRUE(test::has(refused([&] { stream.convert(f32, bf16.sub({0, 7})); }), "8 fp32", "7 bf16"));
  EXPECT_TRUE(test::has(refused([&] { stream.convert(f32, f32); }), "fp32"));
  EXPECT_TRUE(test::has(refused([&] { stream.convert(buffer.slice(DType::i32).sub({0, 8}), bf16); }), "i32"));
  EXPECT_TRUE(test::has(refused([&] { stream.add(f32, bf16); }), "bf16"));
  const Slice i32 = buffer.slice(DType::i32);
  EXPECT_TRUE(test::has(refused([&] { stream.add(i32, i32); }), "i32"));
  EXPECT_TRUE(test::has(refused([&] { stream.axpy(bf16, 2, bf16); }), "bf16"));
  EXPECT_TRUE(test::has(refused([&] { stream.scale(bf16, 2); }), "bf16"));
}

}  // namespace
}  // namespace dpx
