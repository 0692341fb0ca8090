# Script mode: installs BUILD under WORK and runs what was installed, from another folder and with its own configs.
set(prefix ${WORK}/installed)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# The installed library must be the one in use: without it nothing may run.
set(run ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${prefix}/bin/dpx)
set(config ${prefix}/share/dpx/configs/smoke/parity.json)
execute_process(COMMAND ${run} parity --config ${config} --out none WORKING_DIRECTORY ${prefix}
                OUTPUT_VARIABLE out ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT out MATCHES "parity passed")
  message(FATAL_ERROR "the installed dpx says: ${out}")
endif()
file(GLOB_RECURSE libraries ${prefix}/*/libdpx.so)
if(NOT libraries)
  message(FATAL_ERROR "no libdpx.so under ${prefix}")
endif()
file(REMOVE ${libraries})
execute_process(COMMAND ${run} --version RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed EQUAL 0)
  message(FATAL_ERROR "the installed dpx runs without its library: it uses that of the build")
endif()
message(STATUS "installed and run")
