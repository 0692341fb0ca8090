# Configures tests/configure on fabricated CUDA installations: what is found, and what is said of what is not.
# Usage: cmake -DSOURCE=<root of dpx> -DWORK=<folder to use> -P cuda_configure.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})

# A shell script as nvcc: it is of `release`, and compiling prints `says` and ends with `code`.
function(write_nvcc path release says code)
  file(WRITE ${path} "#!/bin/sh\ncase $1 in\n"
                     "--version) echo 'Cuda compilation tools, release ${release}, V${release}.88';;\n"
                     "--list-gpu-arch) echo compute_80; echo compute_90;;\n"
                     "*) echo \"${says}\"; exit ${code};;\nesac\n")
  file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# pip's packages under WORK/NAME: a toolkit of CUDA 13 without lib64 and libX.so, and the libraries that follow.
function(write_pip_packages name)
  set(nvidia ${WORK}/${name}/lib/python3.12/site-packages/nvidia)
  write_nvcc(${nvidia}/cu13/bin/nvcc 13.0 "" 0)
  file(WRITE ${nvidia}/cu13/include/cuda_runtime.h "#define CUDART_VERSION 13000\n")
  if(NOT no_cudart IN_LIST ARGN)
    file(WRITE ${nvidia}/cu13/lib/libcudart.so.13 "")
  endif()
  if(NOT no_cccl IN_LIST ARGN)
    file(WRITE ${nvidia}/cu13/include/cccl/nv/target "")
  endif()
  if(cudnn8 IN_LIST ARGN)
    file(WRITE ${nvidia}/cudnn/include/cudnn_version.h
         "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7\n")
  else()
    file(WRITE ${nvidia}/cudnn/include/cudnn_version.h
         "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 13\n#define CUDNN_PATCHLEVEL 0\n")
  endif()
  if(NOT no_cudnn IN_LIST ARGN)
    file(WRITE ${nvidia}/cudnn/include/cudnn.h "#include <cudnn_version.h>\n")
    file(WRITE ${nvidia}/cudnn/lib/libcudnn.so.9 "")
  endif()
  if(NOT no_cublaslt IN_LIST ARGN)
    file(WRITE ${nvidia}/cublas/lib/libcublasLt.so.13 "")
  endif()
  if(NOT no_nccl IN_LIST ARGN)
    file(WRITE ${nvidia}/nccl/include/nccl.h "")
    file(WRITE ${nvidia}/nccl/lib/libnccl.so.2 "")
  endif()
endfunction()

# expect(NAME EXIT TEXT ARGUMENTS...): configuring with the arguments (environment first) ends so and says the text.
function(expect name exit text)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=CUDACXX --unset=CUDAFLAGS --unset=CUDAHOSTCXX --unset=CUDA_PATH --unset=CUDA_HOME
            --unset=CUDNN_PATH --unset=NCCL_HOME --unset=VIRTUAL_ENV HOME=${WORK} ${ARGN} -S ${SOURCE}/tests/configure
            -B ${WORK}/build/${name} -G "Unix Makefiles" -DCMAKE_MAKE_PROGRAM=true -DDPX_SOURCE=${SOURCE} -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
            -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_IGNORE_PATH=/usr/local/cuda/bin\;/opt/cuda/bin
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \r\n]+" " " output "${output}")  # messages are wrapped
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1 OR NOT result EQUAL exit OR output MATCHES "CMake Warning")
    message(SEND_ERROR "${name}: exit ${result}, ${exit} wanted; no '${text}' in\n${output}")
  endif()
endfunction()

# The same trouble with AUTO, which goes on without CUDA, and with ON, which must not.
function(expect_trouble name text)
  expect(${name}-auto 0 "summary: no CUDA: ${text}" ${ARGN})
  expect(${name}-on 1 "DPX_CUDA=ON: ${text}" ${ARGN} -DDPX_CUDA=ON)
endfunction()

function(expect_trouble_with_pip name text)
  write_pip_packages(${name} ${ARGN})
  expect_trouble(${name} "${text}" VIRTUAL_ENV=${WORK}/${name} ${CMAKE_COMMAND})
endfunction()

expect_trouble(no-nvcc "nvcc not found: apt-get install cuda-toolkit" ${CMAKE_COMMAND})
expect_trouble(gone "${WORK}/gone is no nvcc that works (its --version: " CUDACXX=${WORK}/gone ${CMAKE_COMMAND})

file(WRITE ${WORK}/other/nvcc "#!/bin/sh\necho 'nvcc: error while loading shared libraries: libx.so.1' >&2; exit 127\n")
file(CHMOD ${WORK}/other/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
expect_trouble(other "${WORK}/other/nvcc is no nvcc that works (its --version: nvcc: error while loading shared libraries"
               CUDACXX=${WORK}/other/nvcc ${CMAKE_COMMAND})

write_nvcc(${WORK}/old/nvcc 11.8 "" 0)
expect_trouble(old "${WORK}/old/nvcc is of CUDA 11.8, and C++20 needs 12.0: apt-get install cuda-toolkit"
               CUDACXX=${WORK}/old/nvcc ${CMAKE_COMMAND})

write_nvcc(${WORK}/host/nvcc 13.0 "In file included from x.h:83:\nhost_config.h:143: error: unsupported GNU version!" 1)
expect_trouble(host "${WORK}/host/nvcc cannot compile with /opt/g++-99 (host_config.h:143: error: unsupported GNU version!)"
               CUDACXX=${WORK}/host/nvcc CUDAHOSTCXX=/opt/g++-99 ${CMAKE_COMMAND})
expect(host-off 0 "summary: no CUDA: switched off" CUDACXX=${WORK}/host/nvcc ${CMAKE_COMMAND} -DDPX_CUDA=OFF)
expect(neither 1 "DPX_CUDA=maybe: AUTO, ON or OFF" ${CMAKE_COMMAND} -DDPX_CUDA=maybe)

expect_trouble_with_pip(no-cudart "${WORK}/no-cudart/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc has no CUDA runtime \
beside it: apt-get install cuda-cudart-dev-13-0 or pip install nvidia-cuda-runtime" no_cudart)
expect_trouble_with_pip(no-cccl "nv/target of CCCL not found: apt-get install cuda-cccl-13-0 or pip install nvidia-cuda-cccl"
                        no_cccl)
expect_trouble_with_pip(no-cudnn "cuDNN not found: apt-get install libcudnn9-dev-cuda-13 or pip install nvidia-cudnn-cu13" no_cudnn)
expect_trouble_with_pip(cudnn8 "${WORK}/cudnn8/lib/python3.12/site-packages/nvidia/cudnn/include/cudnn.h is of cuDNN 8.9.7, \
9.0 is needed: apt-get install libcudnn9-dev-cuda-13 or pip install nvidia-cudnn-cu13" cudnn8)
expect_trouble_with_pip(no-cublaslt "cuBLASLt not found: apt-get install libcublas-dev-13-0 or pip install nvidia-cublas"
                        no_cublaslt)

write_pip_packages(pip)
set(nvidia ${WORK}/pip/lib/python3.12/site-packages/nvidia)
expect(pip 0 "found: ${nvidia}/cudnn/include ${nvidia}/cudnn/lib/libcudnn.so.9 ${nvidia}/cublas/lib/libcublasLt.so.13 \
${nvidia}/nccl/include ${nvidia}/nccl/lib/libnccl.so.2 ${nvidia}/cu13/lib/libcudart.so.13"
       VIRTUAL_ENV=${WORK}/pip ${CMAKE_COMMAND})
expect(pip 0 "run time: ${nvidia}/cu13/lib;${nvidia}/cudnn/lib;${nvidia}/cublas/lib;${nvidia}/nccl/lib"
       VIRTUAL_ENV=${WORK}/pip ${CMAKE_COMMAND})  # a second time in the same folder
expect(pip-on 0 "summary: CUDA 13.0.88 for architectures 80;90, cuDNN ${nvidia}/cudnn/lib/libcudnn.so.9, NCCL \
${nvidia}/nccl/lib/libnccl.so.2" VIRTUAL_ENV=${WORK}/pip ${CMAKE_COMMAND} -DDPX_CUDA=ON)
write_pip_packages(no-nccl no_nccl)
expect(no-nccl 0 "no NCCL (apt-get install libnccl-dev or pip install nvidia-nccl-cu13)" VIRTUAL_ENV=${WORK}/no-nccl
       ${CMAKE_COMMAND})
