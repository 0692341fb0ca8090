#pragma once
// Asserting that something is refused with the right exit code and in the right words.
#include <gtest/gtest.h>

#include <string>

#include "lib/core/error.hpp"

namespace dpx::test {

/// The message of the Error that `body` throws with exit code `code`; a test failure and "" when it does not.
template <class Body>
std::string error_of(Body&& body, Exit code = Exit::usage) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code()), int(code)) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

/// True when `text` contains every one of `parts`.
template <class... Parts>
testing::AssertionResult has(const std::string& text, const Parts&... parts) {
  for (const std::string& part : {std::string(parts)...})
    if (text.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << "\"";
  return testing::AssertionSuccess();
}

}  // namespace dpx::test
