# generated/dpx_version.hpp: version, git revision and compiler, refreshed at every build, rewritten only when it changes.
set(DPX_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
add_custom_target(dpx_version
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${PROJECT_BINARY_DIR}/generated/dpx_version.hpp
          -DVERSION=${PROJECT_VERSION} "-DCOMPILER=${DPX_COMPILER}" -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
          -DSANITIZE=${DPX_SANITIZE} -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/dpx_version.hpp)
