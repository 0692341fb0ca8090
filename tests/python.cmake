# Finding a Python for checks and for validating records.
find_package(Python3 QUIET COMPONENTS Interpreter)

# Sets `out` to the first Python interpreter that can import `modules` (none: any Python), or to "". The interpreter that
# comes first on PATH may be one without packages, while the system's has them.
function(dpx_find_python out modules)
  set(import "import sys")
  if(modules)
    string(REPLACE ";" ", " list "${modules}")
    set(import "import ${list}")
  endif()
  foreach(candidate IN ITEMS "${Python3_EXECUTABLE}" python3 /usr/bin/python3)
    if(NOT candidate)
      continue()
    endif()
    execute_process(COMMAND ${candidate} -c "${import}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(${out} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()
