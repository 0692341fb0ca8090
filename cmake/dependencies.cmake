# Packages, each named with the Debian package that brings it.
find_package(Threads REQUIRED)

function(dpx_find package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} not found: apt-get install ${debian} (scripts/quickstart.sh installs all of them)")
  endif()
endfunction()

dpx_find(fmt libfmt-dev)
dpx_find(spdlog libspdlog-dev)
dpx_find(nlohmann_json nlohmann-json3-dev)
dpx_find(CLI11 libcli11-dev)
dpx_find(ZLIB zlib1g-dev)

# Debian's hwy-config.cmake also requires the test library; the library and its header are all that is used.
find_path(DPX_HWY_INCLUDE hwy/highway.h)
find_library(DPX_HWY_LIBRARY hwy)
if(NOT DPX_HWY_INCLUDE OR NOT DPX_HWY_LIBRARY)
  message(FATAL_ERROR "Google Highway not found: apt-get install libhwy-dev (scripts/quickstart.sh installs all of them)")
endif()
add_library(hwy::hwy UNKNOWN IMPORTED)
set_target_properties(hwy::hwy PROPERTIES IMPORTED_LOCATION ${DPX_HWY_LIBRARY}
                                          INTERFACE_INCLUDE_DIRECTORIES ${DPX_HWY_INCLUDE})
