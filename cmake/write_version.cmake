# Script mode: writes OUT from git's answer in SOURCE.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE sha
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(sha "unknown")
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(changes)
  set(dirty true)
else()
  set(dirty false)
endif()
set(text "#pragma once
namespace dpx::build {
inline constexpr const char* kVersion = \"${VERSION}\";
inline constexpr const char* kGitSha = \"${sha}\";
inline constexpr bool kDirty = ${dirty};
inline constexpr const char* kCompiler = \"${COMPILER}\";
inline constexpr const char* kBuildType = \"${BUILD_TYPE}\";
inline constexpr const char* kSanitizer = \"${SANITIZE}\";
}  // namespace dpx::build
")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUT} "${text}")
endif()
