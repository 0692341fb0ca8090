#include "kernels/cpu/bf16_ops.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <utility>
#include <vector>

#include "kernels/cpu/vector_ops.hpp"

namespace dpx {
namespace {

/// Numbers that need rounding, of both signs, in no order.
std::vector<Bf16> values(std::size_t n, std::uint32_t seed) {
  std::vector<Bf16> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    v[i] = to_bf16((float(seed >> 8) - 8e6f) / float(i % 7 + 1));
  }
  return v;
}

std::vector<float> fp32_values(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = 1.0f / float(i + 3);
  return v;
}

/// Numbers of buffers with room around `n` elements, summed by hand.
struct Buffers {
  Buffers(std::size_t k, std::size_t n) {
    for (std::size_t b = 0; b < k; ++b) all.push_back(values(n + 40, std::uint32_t(b + 1)));
  }
  /// What `add_n` must leave: buffer b starts at element b * 3.
  std::vector<std::vector<Bf16>> expected(std::size_t n, bool to_all) const {
    auto sums = all;
    for (std::size_t i = 0; i < n; ++i) {
      Bf16 sum = all[0][i];
      for (std::size_t b = 1; b < all.size(); ++b) sum = add_rounded(sum, all[b][b * 3 + i]);
      for (std::size_t b = 0; b < (to_all ? all.size() : 1); ++b) sums[b][b * 3 + i] = sum;
    }
    return sums;
  }
  std::vector<Bf16*> pointers() {
    std::vector<Bf16*> p;
    for (std::size_t b = 0; b < all.size(); ++b) p.push_back(all[b].data() + b * 3);
    return p;
  }
  std::vector<std::vector<Bf16>> all;
};

class Bf16Ops : public testing::TestWithParam<std::size_t> {};

TEST_P(Bf16Ops, AddWritesItsElementsOnly) {
  const std::size_t n = GetParam();
  for (const auto& [to, from] : {std::pair{0, 0}, {1, 0}, {0, 3}, {5, 7}, {32, 32}}) {
    std::vector<Bf16> dst = values(n + 40, 1), expected = dst;
    const std::vector<Bf16> src = values(n + 40, 2);
    for (std::size_t i = 0; i < n; ++i) expected[to + i] = add_rounded(expected[to + i], src[from + i]);
    cpu::add(dst.data() + to, src.data() + from, n);
    EXPECT_TRUE(dst == expected) << to << ", " << from;
  }
}

TEST_P(Bf16Ops, ConvertsWritesItsElementsOnly) {
  const std::size_t n = GetParam();
  for (const auto& [to, from] : {std::pair{0, 0}, {1, 0}, {0, 3}, {5, 7}, {32, 32}}) {
    const std::vector<float> wide = fp32_values(n + 40);
    std::vector<Bf16> narrow(n + 40), expected_narrow(n + 40);
    std::vector<float> back(n + 40), expected_back(n + 40);
    for (std::size_t i = 0; i < n; ++i) expected_narrow[to + i] = to_bf16(wide[from + i]);
    for (std::size_t i = 0; i < n; ++i) expected_back[from + i] = to_float(expected_narrow[to + i]);
    cpu::convert(narrow.data() + to, wide.data() + from, n);
    cpu::convert(back.data() + from, narrow.data() + to, n);
    EXPECT_TRUE(narrow == expected_narrow) << to << ", " << from;
    EXPECT_EQ(back, expected_back) << to << ", " << from;
  }
}

TEST_P(Bf16Ops, AddToItselfDoubles) {
  std::vector<Bf16> v = values(GetParam(), 3), expected = v;
  for (Bf16& x : expected) x = add_rounded(x, x);
  cpu::add(v.data(), v.data(), v.size());
  EXPECT_TRUE(v == expected);
}

TEST_P(Bf16Ops, SumsOfManyBuffersRoundAfterEachAddition) {
  const std::size_t n = GetParam();
  for (std::size_t k = 1; k <= 9; ++k) {
    Buffers one(k, n), all(k, n);
    const auto expected_one = one.expected(n, false), expected_all = all.expected(n, true);
    cpu::add_n(one.pointers().data(), k, n);
    cpu::add_n_to_all(all.pointers().data(), k, n);
    EXPECT_TRUE(one.all == expected_one) << k;
    EXPECT_TRUE(all.all == expected_all) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, Bf16Ops,
                         testing::Values(0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 1000, 40000));

std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> found;
#if HWY_ARCH_X86
  for (const std::int64_t target : {HWY_SSSE3, HWY_AVX2, HWY_AVX3})
    if (hwy::SupportedTargets() & target) found.push_back(target);
#else
  found.push_back(0);  // what the dispatch picks
#endif
  return found;
}

/// Runs `body` with the dispatch restricted to each instruction set in turn.
template <class Body>
void on_every_target(const Body& body) {
  for (const std::int64_t target : targets()) {
    hwy::SetSupportedTargetsForTest(target);
    const std::string name = cpu::simd_name();
    EXPECT_TRUE(target == 0 || name == hwy::TargetName(target)) << name;  // what was forced runs
    body(name);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Bf16Targets, RoundEveryUpperHalfAlike) {
  std::vector<float> src;
  for (std::uint32_t upper = 0; upper < 65536; ++upper)
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      src.push_back(std::bit_cast<float>(upper << 16 | lower));
  std::vector<Bf16> expected(src.size());
  for (std::size_t i = 0; i < src.size(); ++i) expected[i] = to_bf16(src[i]);
  on_every_target([&](const std::string& name) {
    std::vector<Bf16> dst(src.size());
    cpu::convert(dst.data(), src.data(), src.size());
    EXPECT_TRUE(dst == expected) << name;
  });
}

std::vector<Bf16> every_value() {
  std::vector<Bf16> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = std::uint16_t(i);
  return all;
}

TEST(Bf16Targets, EveryValueComesBackWithItsBits) {
  const std::vector<Bf16> all = every_value();
  on_every_target([&](const std::string& name) {
    std::vector<float> wide(all.size());
    std::vector<Bf16> back(all.size());
    cpu::convert(wide.data(), all.data(), all.size());
    cpu::convert(back.data(), wide.data(), all.size());
    EXPECT_TRUE(back == all) << name;
  });
}

// Every value plus zeros, denormals, halves, large numbers, infinities, both kinds of NaN, and a spread of
// others.
TEST(Bf16Targets, AddEveryValueAlike) {
  std::vector<std::uint16_t> partners = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080,
                                         0x3f80, 0xbf81, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                         0x7f81, 0xff81, 0x7fc0, 0xffff, 0x7fff};
  for (std::uint32_t bits = 77; bits < 65536; bits += 2003) partners.push_back(std::uint16_t(bits));
  const std::vector<Bf16> all = every_value();
  for (const std::uint16_t partner : partners) {
    const std::vector<Bf16> other(all.size(), Bf16{partner});
    std::vector<Bf16> once(all.size()), thrice(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      once[i] = add_rounded(all[i], other[i]);
      thrice[i] = add_rounded(add_rounded(once[i], all[i]), other[i]);
    }
    on_every_target([&](const std::string& name) {
      std::vector<Bf16> a = all, b = other, c = all, d = other, sum = all;
      cpu::add(sum.data(), other.data(), sum.size());
      EXPECT_TRUE(sum == once) << name << " " << partner;
      Bf16* const buffers[] = {a.data(), b.data(), c.data(), d.data()};
      cpu::add_n_to_all(buffers, 4, a.size());
      EXPECT_TRUE(a == thrice && b == thrice && c == thrice && d == thrice) << name << " " << partner;
    });
  }
}

}  // namespace
}  // namespace dpx
