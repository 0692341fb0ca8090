# Checks of the sources themselves (ctest label `check`). Each has a planted fault that it must catch.

dpx_find_python(python "")
if(python)
  foreach(option "" "--self-test")
    string(REPLACE "--" "." suffix "${option}")
    add_test(NAME check.includes${suffix}
             COMMAND ${python} ${PROJECT_SOURCE_DIR}/scripts/check_includes.py ${option})
    set_tests_properties(check.includes${suffix} PROPERTIES LABELS check TIMEOUT 60)
  endforeach()
  add_test(NAME check.gpu_report COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/checks/gpu_report_test.py)
  set_tests_properties(check.gpu_report PROPERTIES LABELS check TIMEOUT 60)
else()
  message(STATUS "no python3: the check of includes and file lengths is left out")
endif()

# The reference that the golden values come from must still give them.
file(GLOB golden_script CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/golden.py)
dpx_find_python(numpy_python "numpy")
if(golden_script AND numpy_python)
  add_test(NAME golden.reference COMMAND ${numpy_python} ${golden_script} --check)
  set_tests_properties(golden.reference PROPERTIES LABELS golden TIMEOUT 600)
elseif(golden_script)
  message(STATUS "no python3 with numpy: scripts/golden.py --check is left out (apt-get install python3-numpy)")
endif()

# The rest does not depend on a sanitizer; once is enough.
if(DPX_SANITIZE)
  return()
endif()

find_program(DPX_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(DPX_CLANG_FORMAT)
  add_test(NAME check.format
           COMMAND ${CMAKE_COMMAND} -DCLANG_FORMAT=${DPX_CLANG_FORMAT} -DSOURCE=${PROJECT_SOURCE_DIR}
                   -DWORK=${CMAKE_CURRENT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/checks/format.cmake)
  set_tests_properties(check.format PROPERTIES LABELS check TIMEOUT 120)
else()
  message(STATUS "no clang-format: the format check is left out (apt-get install clang-format)")
endif()

# What configuring says where CUDA's parts are missing, old or broken; on fabricated installations, so without CUDA too.
add_test(NAME check.cuda_configure
         COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/cuda_configure
                 -P ${CMAKE_CURRENT_LIST_DIR}/configure/cuda_configure.cmake)
set_tests_properties(check.cuda_configure PROPERTIES LABELS check TIMEOUT 120)

add_test(NAME check.install
         COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DWORK=${CMAKE_CURRENT_BINARY_DIR}
                 -P ${CMAKE_CURRENT_LIST_DIR}/checks/install.cmake)
set_tests_properties(check.install PROPERTIES LABELS check TIMEOUT 120)

# Every header compiles alone, and twice over: one generated source per header. Headers of a backend that is not built here
# wait for a build that has it; *-inl.h are Highway's, included several times on purpose.
set(header_globs)
foreach(folder lib kernels apps)
  list(APPEND header_globs ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
endforeach()
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${header_globs})
list(FILTER headers EXCLUDE REGEX "-inl\\.h(pp)?$")
if(NOT TARGET dpx_cuda)
  list(FILTER headers EXCLUDE REGEX "^kernels/cuda/")
endif()
if(NOT TARGET dpx_mpi)
  list(FILTER headers EXCLUDE REGEX "^lib/comm/mpi/")
endif()
set(header_sources)
foreach(header IN LISTS headers)
  string(REPLACE "/" "_" name ${header})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/header_checks/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
  list(APPEND header_sources ${source})
endforeach()
add_library(header_checks OBJECT ${header_sources})
target_link_libraries(header_checks PRIVATE dpx_flags fmt::fmt spdlog::spdlog nlohmann_json::nlohmann_json ZLIB::ZLIB
                                            Threads::Threads hwy::hwy CLI11::CLI11)
foreach(backend dpx_cuda dpx_mpi)
  if(TARGET ${backend})
    target_link_libraries(header_checks PRIVATE ${backend})
  endif()
endforeach()
add_dependencies(header_checks dpx_version)
if(TARGET dpx_cuda)
  target_include_directories(header_checks SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${DPX_CUDNN_INCLUDE})
  if(DPX_HAVE_NCCL)
    target_include_directories(header_checks SYSTEM PRIVATE ${DPX_NCCL_INCLUDE})
  endif()
endif()

# The planted fault: a header that uses std::string without <string> must not pass.
add_test(NAME check.headers.self-test
         COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -x c++ ${CMAKE_CURRENT_LIST_DIR}/checks/not_self_contained.hpp)
set_tests_properties(check.headers.self-test PROPERTIES LABELS check TIMEOUT 60 ENVIRONMENT LC_ALL=C
                     PASS_REGULAR_EXPRESSION "does not name a type;no type named;undeclared identifier")
