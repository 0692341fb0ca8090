// Generated data: sizes, determinism, distribution, and that its classes can be told apart.
#include "lib/data/synthetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/data_files.hpp"

namespace dpx {
namespace {

constexpr std::size_t kPixels = 784;

std::array<int, 10> class_counts(const Examples& examples) {
  std::array<int, 10> counts{};
  for (std::uint8_t label : examples.labels) ++counts.at(label);
  return counts;
}

TEST(SyntheticData, HasTheSizesAskedFor) {
  const Dataset data = load_dataset("synthetic", 0, 0);
  EXPECT_EQ(data.name, "synthetic");
  EXPECT_TRUE(data.known);
  EXPECT_TRUE(data.files.empty());
  EXPECT_EQ(data.train.size(), 60'000u);
  EXPECT_EQ(data.train.images().count, 60'000u * kPixels);
  EXPECT_EQ(data.train.images().dtype, DType::u8);
  EXPECT_EQ(data.test.size(), 10'000u);
  EXPECT_EQ(load_dataset("synthetic", 0, 100).train.size(), 100u);
}

TEST(SyntheticData, DependsOnSeedAndExampleOnly) {
  const Examples few = synthetic_examples(10, 5), many = synthetic_examples(1000, 5),
                 later = synthetic_examples(3, 5, 7);
  EXPECT_TRUE(std::equal(few.pixels_u8.begin(), few.pixels_u8.end(), many.pixels_u8.begin()));
  EXPECT_TRUE(
      std::equal(later.pixels_u8.begin(), later.pixels_u8.end(), many.pixels_u8.begin() + 7 * kPixels));
  EXPECT_TRUE(std::equal(later.labels.begin(), later.labels.end(), many.labels.begin() + 7));
  EXPECT_NE(synthetic_examples(10, 6).pixels_u8, few.pixels_u8);
}

TEST(SyntheticData, TestExamplesAreOthersThanTrainingExamples) {
  const Dataset data = load_dataset("synthetic", 0, 10'000);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_FALSE(std::equal(data.test.pixels_u8.begin() + i * kPixels,
                            data.test.pixels_u8.begin() + (i + 1) * kPixels,
                            data.train.pixels_u8.begin() + i * kPixels));
}

TEST(SyntheticData, NearestClassMeanIsRightOnTestData) {
  const Dataset data = load_dataset("synthetic", 1, 3000);
  std::array<std::array<double, kPixels>, 10> means{};
  const auto counts = class_counts(data.train);
  for (std::size_t i = 0; i < data.train.size(); ++i)
    for (std::size_t p = 0; p < kPixels; ++p)
      means[data.train.labels[i]][p] +=
          double(data.train.pixels_u8[i * kPixels + p]) / counts[data.train.labels[i]];
  int correct = 0;
  for (std::size_t i = 0; i < data.test.size(); ++i) {
    std::array<double, 10> distance{};
    for (std::size_t c = 0; c < 10; ++c)
      for (std::size_t p = 0; p < kPixels; ++p) {
        const double difference = data.test.pixels_u8[i * kPixels + p] - means[c][p];
        distance[c] += difference * difference;
      }
    correct += std::min_element(distance.begin(), distance.end()) - distance.begin() == data.test.labels[i];
  }
  EXPECT_EQ(correct, 500);
  for (int count : counts) EXPECT_NEAR(count, 300, 80);
}

TEST(NormalData, IsStandardNormalFloatWithRandomLabels) {
  const Dataset data = load_dataset("normal", 3, 0);
  EXPECT_EQ(data.name, "normal");
  EXPECT_EQ(data.train.size(), 256u);
  EXPECT_EQ(data.test.size(), 0u);
  EXPECT_EQ(data.test.images().count, 0u);
  EXPECT_EQ(data.train.images().dtype, DType::f32);
  ASSERT_EQ(data.train.images().count, 256u * kPixels);
  double sum = 0, squares = 0;
  for (float x : data.train.pixels_f32) sum += x, squares += double(x) * x;
  const double n = 256.0 * kPixels;
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  for (int count : class_counts(data.train)) EXPECT_GT(count, 0);
  EXPECT_EQ(load_dataset("normal", 3, 7).train.pixels_f32[7 * kPixels - 1],
            data.train.pixels_f32[7 * kPixels - 1]);
}

}  // namespace
}  // namespace dpx
