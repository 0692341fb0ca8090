# The CUDA libraries that dpx links: where they are, or which package brings the one that is missing.

# dpx_find_cuda_library(VARIABLE PLACES NAMES...): a folder's libX.so or, as pip leaves it, libX.so.N, folder by folder:
# the library must be the header's, not an older one of the system.
macro(dpx_find_cuda_library variable)
  find_library(${variable} NAMES ${ARGN} NAMES_PER_DIR HINTS ${DPX_CUDA_PLACES} PATH_SUFFIXES lib64 lib)
endmacro()

macro(dpx_find_cuda_libraries)
  if(DPX_PIP_CUDA_LIB)  # pip brings no libcudart.so, which the linker looks for
    file(GLOB DPX_PIP_CUDART ${DPX_PIP_CUDA_LIB}/libcudart.so.[0-9]*)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cuda_links)
    file(CREATE_LINK "${DPX_PIP_CUDART}" ${CMAKE_CURRENT_BINARY_DIR}/cuda_links/libcudart.so SYMBOLIC)
    link_directories(${CMAKE_CURRENT_BINARY_DIR}/cuda_links)
    set(CUDA_CUDART ${DPX_PIP_CUDART} CACHE FILEPATH "CUDA runtime")
    set(CUDA_cudart_LIBRARY ${DPX_PIP_CUDART} CACHE FILEPATH "CUDA runtime")
  endif()
  find_package(CUDAToolkit QUIET)
  set(DPX_CUDA_PLACES ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR} $ENV{CUDNN_PATH}
                      $ENV{NCCL_HOME} ${DPX_PIP_NVIDIA})
  find_path(DPX_CCCL_INCLUDE nv/target HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl)
  if(DPX_CCCL_INCLUDE)  # from CUDA 13 a folder of its own, which only nvcc knows; cublasLt.h needs it
    list(APPEND CUDAToolkit_INCLUDE_DIRS ${DPX_CCCL_INCLUDE})
    list(REMOVE_DUPLICATES CUDAToolkit_INCLUDE_DIRS)
  endif()
  find_path(DPX_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${DPX_CUDA_PLACES} PATH_SUFFIXES include)
  dpx_find_cuda_library(DPX_CUDNN_LIBRARY cudnn libcudnn.so.9)
  dpx_find_cuda_library(DPX_CUBLASLT_LIBRARY cublasLt libcublasLt.so.13 libcublasLt.so.12)
  find_path(DPX_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${DPX_CUDA_PLACES} PATH_SUFFIXES include)
  dpx_find_cuda_library(DPX_NCCL_LIBRARY nccl libnccl.so.2)
endmacro()

# Sets out to the folders where the libraries found must be looked for at run time too. CMake's own rpaths leave out the
# folders in which nvcc looks, although the loader does not look there.
function(dpx_cuda_runtime_folders out)
  set(folders "")
  foreach(library "${CUDA_cudart_LIBRARY}" "${DPX_CUDNN_LIBRARY}" "${DPX_CUBLASLT_LIBRARY}" "${DPX_NCCL_LIBRARY}")
    if(library)
      get_filename_component(folder ${library} DIRECTORY)
      list(APPEND folders ${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
  set(${out} "${folders}" PARENT_SCOPE)
endfunction()

# "9.13.1" of the header in `folder`, empty where it does not say.
function(dpx_cudnn_version folder out)
  set(version "")
  foreach(header cudnn_version.h cudnn.h)
    if(NOT version AND EXISTS ${folder}/${header})
      file(STRINGS ${folder}/${header} lines REGEX "define CUDNN_(MAJOR|MINOR|PATCHLEVEL) +[0-9]+")
      string(REGEX REPLACE "[^;]*CUDNN_[A-Z]+ +([0-9]+)[^;]*" "\\1" version "${lines}")
      string(REPLACE ";" "." version "${version}")
    endif()
  endforeach()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# Sets out to what is missing, with the packages that bring it; empty where nothing is.
function(dpx_why_not_cuda_libraries out)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" ignored "${CMAKE_CUDA_COMPILER_VERSION}")  # the toolkit may not be found
  set(major ${CMAKE_MATCH_1})
  set(apt ${CMAKE_MATCH_1}-${CMAKE_MATCH_2})
  set(pip "")  # pip's names of CUDA's own packages end in -cu12 up to CUDA 12
  if(major LESS 13)
    set(pip -cu${major})
  endif()
  set(cudnn "apt-get install libcudnn9-dev-cuda-${major} or pip install nvidia-cudnn-cu${major}")
  dpx_cudnn_version("${DPX_CUDNN_INCLUDE}" cudnn_version)
  set(missing "")
  if(NOT CUDAToolkit_FOUND OR NOT TARGET CUDA::cudart)
    set(missing "${DPX_NVCC} has no CUDA runtime beside it: apt-get install cuda-cudart-dev-${apt} or pip install nvidia-cuda-runtime${pip}")
  elseif(NOT DPX_CCCL_INCLUDE)
    set(missing "nv/target of CCCL not found: apt-get install cuda-cccl-${apt} or pip install nvidia-cuda-cccl${pip}")
  elseif(NOT DPX_CUDNN_INCLUDE OR NOT DPX_CUDNN_LIBRARY)
    set(missing "cuDNN not found: ${cudnn}")
  elseif(NOT cudnn_version VERSION_GREATER_EQUAL 9)
    set(missing "${DPX_CUDNN_INCLUDE}/cudnn.h is of cuDNN ${cudnn_version}, 9.0 is needed: ${cudnn}")
  elseif(NOT DPX_CUBLASLT_LIBRARY)
    set(missing "cuBLASLt not found: apt-get install libcublas-dev-${apt} or pip install nvidia-cublas${pip}")
  endif()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()
