#pragma once
// Tests of measured times on machines that others use, too.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace dpx::test {

/// Runs `body`, which asserts what only an undisturbed machine shows, until it passes; the failures of the
/// last of `tries` count. A fault that is not the machine's fails every time.
template <class Body>
void retried(int tries, const Body& body) {
  for (int i = 1; i < tries; ++i) {
    testing::TestPartResultArray results;
    bool threw = false;
    {
      const testing::ScopedFakeTestPartResultReporter kept_back(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      try {
        body();
      } catch (const std::exception&) {
        threw = true;
      }
    }
    bool failed = threw;
    for (int r = 0; r < results.size(); ++r) failed = failed || results.GetTestPartResult(r).failed();
    if (!failed) return;
  }
  body();
}

}  // namespace dpx::test
