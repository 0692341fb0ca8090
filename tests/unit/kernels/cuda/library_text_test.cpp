#include "kernels/cuda/library_text.hpp"

#include <gtest/gtest.h>

namespace dpx::cuda {
namespace {

TEST(LibraryText, FindsWholeTextsOfTheLibraryItIsAskedAbout) {
  static const char* const kHere = "a text of this very program";
  EXPECT_TRUE(library_holds(kHere, kHere));
  EXPECT_FALSE(library_holds(kHere, std::string(kHere, 11))) << "it goes on";
  std::string nowhere = "a text of no ";  // put together at run time: it stands in no library
  nowhere += "program";
  EXPECT_FALSE(library_holds(kHere, nowhere));
}

}  // namespace
}  // namespace dpx::cuda
