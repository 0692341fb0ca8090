# Finds nvcc in DPX_NVCC and tries it before CMake does, whose own check would end the configure of a build that can do
# without CUDA.

# Where pip's nvidia-* packages put their parts: <site-packages>/nvidia/{cu13,cudnn,nccl,...}.
function(dpx_pip_nvidia_folders out)
  set(patterns "$ENV{HOME}/.local/lib/python3*/site-packages/nvidia/*" "/usr/local/lib/python3*/*-packages/nvidia/*"
               "/usr/lib/python3*/*-packages/nvidia/*")
  if(DEFINED ENV{VIRTUAL_ENV})
    list(PREPEND patterns "$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/*")
  endif()
  set(all "")
  foreach(pattern IN LISTS patterns)  # one after the other: a glob sorts what it finds
    file(GLOB folders LIST_DIRECTORIES TRUE ${pattern})
    list(APPEND all ${folders})
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# pip's nvcc looks for its libraries in lib64, and pip puts them in lib, without a libcudart.so. Sets out to that folder,
# empty for any other nvcc.
function(dpx_pip_lib_of nvcc out)
  get_filename_component(root ${nvcc} REALPATH)
  get_filename_component(root ${root}/../.. ABSOLUTE)
  file(GLOB cudart ${root}/lib/libcudart.so.[0-9]*)
  set(${out} "" PARENT_SCOPE)
  if(cudart AND NOT EXISTS ${root}/lib64 AND NOT EXISTS ${root}/lib/libcudart.so)
    set(${out} ${root}/lib PARENT_SCOPE)
  endif()
endfunction()

# Sets DPX_NVCC, the compiler that the user names or else the first of the usual places, and DPX_PIP_CUDA_LIB where it is
# pip's.
macro(dpx_find_nvcc)
  dpx_pip_nvidia_folders(DPX_PIP_NVIDIA)
  if(CMAKE_CUDA_COMPILER)
    set(DPX_NVCC ${CMAKE_CUDA_COMPILER})
  elseif(DEFINED ENV{CUDACXX})
    set(DPX_NVCC $ENV{CUDACXX})
  else()
    find_program(DPX_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin /opt/cuda/bin ${DPX_PIP_NVIDIA}
                               PATH_SUFFIXES bin)
  endif()
  if(DPX_NVCC)
    dpx_pip_lib_of(${DPX_NVCC} DPX_PIP_CUDA_LIB)
  endif()
  if(DPX_PIP_CUDA_LIB AND CMAKE_CUDA_FLAGS)  # CMake's own tests of a compiler take these flags, else the environment's
    if(NOT CMAKE_CUDA_FLAGS MATCHES "-L${DPX_PIP_CUDA_LIB}")
      string(APPEND CMAKE_CUDA_FLAGS " -L${DPX_PIP_CUDA_LIB}")
    endif()
  elseif(DPX_PIP_CUDA_LIB)
    set(ENV{CUDAFLAGS} "$ENV{CUDAFLAGS} -L${DPX_PIP_CUDA_LIB}")
  endif()
endmacro()

# What a failed compilation is about: the first line that speaks of an error, else the last one.
function(dpx_first_error output out)
  string(REGEX MATCH "[^\r\n]*([Ee]rror|fatal|cannot|not found|No such)[^\r\n]*" line "${output}")
  if(NOT line)
    string(REGEX MATCH "[^\r\n]+[\r\n]*$" line "${output}")
  endif()
  string(STRIP "${line}" line)
  string(LENGTH "${line}" length)
  if(length GREATER 240)
    string(SUBSTRING "${line}" 0 240 line)
    string(APPEND line "...")
  endif()
  set(${out} "${line}" PARENT_SCOPE)
endfunction()

# Compiles and links a kernel with DPX_NVCC and the host compiler that CMake will give it; the reason where that fails.
function(dpx_try_nvcc out)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/dpx_nvcc)
  file(WRITE ${work}/probe.cu "__global__ void probe(int* x) { *x = 1; }\nint main() { probe<<<1, 1>>>(nullptr); }\n")
  set(host $ENV{CUDAHOSTCXX})
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host ${CMAKE_CUDA_HOST_COMPILER})
  endif()
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS} $ENV{CUDAFLAGS}")
  if(host)
    list(APPEND flags -ccbin ${host})
  endif()
  execute_process(COMMAND ${DPX_NVCC} -std=c++20 ${flags} probe.cu -o probe WORKING_DIRECTORY ${work} TIMEOUT 120
                  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${out} "" PARENT_SCOPE)
  if(failed)
    dpx_first_error("${output}" reason)
    if(NOT host)
      set(host "the host compiler it finds")
    endif()
    set(${out} "${DPX_NVCC} cannot compile with ${host} (${reason}); CUDAHOSTCXX names another host compiler" PARENT_SCOPE)
  endif()
endfunction()

# Sets out to why DPX_NVCC cannot be used, empty where it can. A second configure does not ask again.
function(dpx_why_not_nvcc out)
  if(DPX_NVCC_THAT_WORKS STREQUAL DPX_NVCC)
    set(${out} "" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${DPX_NVCC} --version OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed TIMEOUT 60)
  if(NOT said MATCHES "release ([0-9]+\\.[0-9]+)")
    if(said STREQUAL "")
      set(said "${failed}")  # an exit code, or why it cannot be started
    endif()
    dpx_first_error("${said}" reason)
    set(${out} "${DPX_NVCC} is no nvcc that works (its --version: ${reason})" PARENT_SCOPE)
    return()
  elseif(CMAKE_MATCH_1 VERSION_LESS 12)
    set(${out} "${DPX_NVCC} is of CUDA ${CMAKE_MATCH_1}, and C++20 needs 12.0: apt-get install cuda-toolkit" PARENT_SCOPE)
    return()
  endif()
  dpx_try_nvcc(reason)
  if(NOT reason)
    set(DPX_NVCC_THAT_WORKS ${DPX_NVCC} CACHE INTERNAL "the nvcc that compiled a kernel")
  endif()
  set(${out} "${reason}" PARENT_SCOPE)
endfunction()

# Makes CUDA a language of the project.
macro(dpx_enable_cuda)
  set(CMAKE_CUDA_COMPILER ${DPX_NVCC} CACHE FILEPATH "CUDA compiler")
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # ours are set on the target
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know C++20 for nvcc
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
endmacro()
