# Script mode: runs CLANG_FORMAT over the tracked sources in SOURCE; WORK is a folder for the planted fault.
# Formatting differs between major versions, so only the version that the sources are formatted with is used.
set(wanted 14)

execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "version ([0-9]+)" match "${version}")
set(major "${CMAKE_MATCH_1}")
if(NOT major STREQUAL wanted)
  message(STATUS "skipped: ${CLANG_FORMAT} is version ${major}, the sources are formatted with ${wanted}")
  return()
endif()

file(WRITE ${WORK}/planted_format.cpp "int   main( ) {return 0 ;}\n")
execute_process(COMMAND ${CLANG_FORMAT} --style=file:${SOURCE}/.clang-format --dry-run -Werror ${WORK}/planted_format.cpp
                RESULT_VARIABLE planted OUTPUT_QUIET ERROR_QUIET)
if(planted EQUAL 0)
  message(FATAL_ERROR "${CLANG_FORMAT} did not notice the planted fault in ${WORK}/planted_format.cpp")
endif()

execute_process(COMMAND git -C ${SOURCE} ls-files -- "*.cpp" "*.hpp" "*.h" "*.cu" "*.cuh"
                OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed EQUAL 0 AND files)
  string(REPLACE "\n" ";" files "${files}")
else()  # no git history here, as in an unpacked archive
  set(globs)
  foreach(folder apps lib kernels tests)
    foreach(ending cpp hpp h cu cuh)
      list(APPEND globs ${SOURCE}/${folder}/*.${ending})
    endforeach()
  endforeach()
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${globs})
endif()

set(present)
foreach(file IN LISTS files)
  if(EXISTS ${SOURCE}/${file})  # not one that is tracked but deleted in the work tree
    list(APPEND present ${file})
  endif()
endforeach()
list(LENGTH present count)
if(count EQUAL 0)
  message(FATAL_ERROR "no source found in ${SOURCE}")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${present} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed)
if(NOT failed EQUAL 0)
  set(listing "git ls-files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh'")
  message(FATAL_ERROR "format: in the project's folder run: ${CLANG_FORMAT} -i $(${listing})")
endif()
message(STATUS "${count} files: format in order")
