#include "lib/core/names.hpp"

#include <gtest/gtest.h>

namespace dpx {
namespace {

const std::vector<std::string> kNames{"batch", "epochs", "backend", "gpus"};

TEST(Names, OffersTheNearest) {
  EXPECT_EQ(nearest("bach", kNames), "batch");
  EXPECT_EQ(nearest("BATCH", kNames), "batch");
  EXPECT_EQ(nearest("batch-size", kNames), "batch");
  EXPECT_EQ(nearest("epoch", kNames), "epochs");
  EXPECT_EQ(nearest("gpu", kNames), "gpus");
}

TEST(Names, OffersNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest("transport", kNames), "");
  EXPECT_EQ(nearest("k", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'b'), kNames), "");
}

TEST(Names, AreListedInMessages) {
  EXPECT_EQ(unknown_name("key", "bach", kNames),
            "unknown key \"bach\"; did you mean \"batch\"? Known: batch, epochs, backend, gpus");
  EXPECT_EQ(unknown_name("key", "x", kNames), "unknown key \"x\"; known: batch, epochs, backend, gpus");
}

}  // namespace
}  // namespace dpx
